"""How files are divided into records: lines, JSON documents, tables, databases, archives."""
