# Sentences that settling adds to the findings file.
settle-undecided = Do the findings { $findings } say the same, or do their suggestions exclude each other?
settle-stands = “{ $thing }” is not missing: it stands in the document at line { $line }.
settle-quoted = “{ $thing }” is not missing: finding { $finding } quotes it.
