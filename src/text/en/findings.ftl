# Findings and Report of the workbench.
do-detail-up = scroll up
do-detail-down = scroll
do-unfold-out = show what is not in the file
why-coming-in = these are coming in; the list opens when the critic has finished
why-none-out = everything is in the file
why-not-written = it was not written; w on Report tries again
hint-trying-again = Trying again
findings-critical = critical
findings-major = major
findings-minor = minor
findings-pending = undecided
findings-conflict = in conflict
findings-accepted = accepted
findings-modified = own words
findings-rejected = rejected
findings-deferred = put off
findings-applied = applied
findings-whole-document = whole document
findings-all = { $total ->
    [one] 1 finding
   *[other] { $total } findings
  }
findings-decided = { $count } decided
findings-shown = { $shown } of { $total } shown
findings-by-severity = severity { $word }
findings-by-status = status { $word }
findings-by-words = "{ $word }"
findings-marked = { $count } marked
findings-marked-hidden = { $count } marked, { $hidden } of them not shown
findings-feed = { $count } so far, as they come in; deciding begins when the critic has finished
findings-none-yet = Nothing has come in yet.
findings-none = The reviewers found nothing.
findings-none-fits = No finding fits. Esc shows all.
findings-out = { $count } not in the file
findings-fold-help = Findings that are not in the file, each with its reason: dropped because another one proves them wrong, or struck by a person. Enter folds and unfolds them.
findings-dropped = dropped
findings-struck = struck
findings-dropped-why = Dropped, not in the file: { $reason }
findings-struck-why = Struck by a person: not in the file. The critic still knew it.
findings-line = line { $line }
findings-label-quote = Quote
findings-label-wrong = What is wrong
findings-label-suggestion = Suggestion
findings-label-options = Options
findings-label-questions = Questions
findings-label-edge-cases = What a fix must not forget
findings-label-decision = Decision
findings-label-own-words = Words to apply
findings-label-absorbed = Said the same, taken in
findings-severity-given = Given as { $word }; lower because its quote is not in the document.
findings-grounding-normalised = The quote stands there, emphasis and spacing aside.
findings-grounding-moved = The quote stands here, not where the reviewer said.
findings-grounding-moved-from = The quote stands here; the reviewer said { $place }.
findings-grounding-ambiguous = The quote stands in several places, and nothing tells which one is meant.
findings-grounding-missing = The quote is not in the document.
findings-grounding-absence = It reports something that is missing, and it is missing
findings-fixes-itself = Can be applied as it stands.
findings-needs-hands = Applying it needs a person.
findings-question-open = open; the file will say so
findings-question-policy = open; a person alone answers it, and it holds up writing
findings-question-owner = to be answered by { $owner }
findings-question-answered = { $answer } ({ $by }, { $at })
findings-question-deferred = put off: { $reason }
findings-option = option { $label }
findings-by = { $who }, { $when }
findings-reason = Reason: { $reason }
findings-found-by = Found by { $list }
findings-rule = rule { $rule }
findings-may-repeat = May say the same as { $list }
findings-conflicts-among = { $count } of the { $total } marked are conflicts, each decided on its own on Decide. Nothing was accepted; Space unmarks them.
report-not-written = Not written: { $why }
report-not-written-help = Nothing is lost: what you decided is recorded. Put this right and press w to try again, or leave with q: the line printed then goes on from here.
report-written = Written: { $path }
report-written-help = Change a decision on any screen, and w writes it again. q leaves.
report-under-way = The reviewers are still at work: nothing is written before the findings are settled.
report-open-conflicts = Not yet: { $conflicts ->
    [one] 1 conflict
   *[other] { $conflicts } conflicts
  } to settle or put off first. Enter goes to the one below.
report-open-policy = Not yet: { $policy ->
    [one] 1 policy question
   *[other] { $policy } policy questions
  } to answer or put off first. Enter goes to the one below.
report-open = Not yet: { $conflicts ->
    [0] no conflict
    [one] 1 conflict
   *[other] { $conflicts } conflicts
  } and { $policy ->
    [0] no policy question
    [one] 1 policy question
   *[other] { $policy } policy questions
  } to settle or put off first. Enter goes to the one below.
report-rests = Nothing has been decided since this was written: there is nothing to write
report-no-preview = Working out what would be written
report-refused = Cannot be written: { $why }
report-refused-help = Move that file away and press w, or leave and resume with --overwrite (keeps it as .bak) or --out FILE. Nothing you decided is lost.
report-ready = Ready: w writes { $path }
report-creates = There is no file yet; it is created.
report-same = The file there says exactly this already.
report-replaces = The file there is replaced: { $added ->
    [one] 1 line comes
   *[other] { $added } lines come
  }, { $removed ->
    [one] 1 goes
   *[other] { $removed } go
  }.
report-keeps = The file there is not this run's: it is kept beside the new one as .bak.
report-so-far = So far: { $count } findings, repetitions among them
report-conflict = conflict
report-policy = policy question
report-question = question
report-conflicts = Conflicts: { $total }, of which { $settled } settled, { $deferred } put off, { $open } open
report-questions = Questions: { $total }, of which { $answered } answered, { $deferred } put off, { $open } open ({ $policy } policy)
report-struck = Struck by a person: { $total }
report-difference = Difference to the file there: { $added ->
    [one] 1 line comes
   *[other] { $added } lines come
  }, { $removed ->
    [one] 1 goes
   *[other] { $removed } go
  }
report-text = The file: { $added ->
    [one] 1 line
   *[other] { $added } lines
  }
report-unchanged = { $count ->
    [one] 1 line as before
   *[other] { $count } lines as before
  }
