"""How logged calls become a conversation: which of them are turns, in which order, and what is said in each."""
