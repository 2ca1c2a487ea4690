"""Words that begin no name and end none."""

from anonymize.names.lists import word_set

NOT_FIRST = word_set(
    "a an the my your his her our their this that these those it he she they we you i so very not just also "
    "only still now here there what who how why when where which if in on at to for from by with about like as "
    "and or but no yes ok okay sure sorry happy sad glad new old working trying looking using going having "
    "getting doing making writing thinking building learning planning currently really all one dear sir madam "
    "team everyone folks friend guys support customer admin hiring manager editor reader user assistant chat "
    "bot please thank thanks can could would should may might will do does did is are was were be been has have "
    "had let get go see use add set today tomorrow yesterday monday tuesday wednesday thursday friday saturday "
    "sunday january february march april june july august september october november december mr mrs ms dr prof "
    "miss example note step chapter part section figure table day week month year american british canadian "
    "chinese indian french german english spanish italian japanese korean african european asian christian "
    "muslim north south east west good great best big small first second third last next more most other "
    "another such some any every each none null true false string required optional value type id number test "
    "unknown tbd n/a na anonymous"
)
