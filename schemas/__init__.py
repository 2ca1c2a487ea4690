"""The contract: tables, records, enumerations, reason codes, ids and errors. Imports nothing of ours."""
