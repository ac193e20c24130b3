# Conflicts, questions and text areas of the workbench.
decide-nothing = There is no conflict, so there is nothing to decide here. F4 shows the questions, F5 the findings, w the report.
decide-nothing-yet = Conflicts are gathered when the critic has finished. F2 shows how far the run is.
decide-open = { $open } open
decide-none-open = none open
decide-reviewers = { $count } reviewers disagree
decide-one-reviewer = one reviewer, { $ways } ways
decide-options = Options
decide-signs = against its line: [-goes-] {"{"}+comes+{"}"}; bold: not in that line
decide-remember = Not to be forgotten, whatever is chosen:
decide-absorbed = Absorbed: { $count }
decide-similar = These may say the same:
decided-choice = decided: { $label }
decided-own = decided: own words
decided-rejected = decided: all rejected
decided-accepted = decided: accepted
decided-deferred = put off
decided-own-words = Words:
decided-reason = Reason:
decided-why-deferred = Put off because:
option-chosen = chosen
option-from = from { $who }
option-rests = line { $line }: "{ $quote }"
option-rests-nowhere = rests on no line of this document
option-rests-unfound = not found in this document: "{ $quote }"
option-says = says: { $words }
option-says-above = says: what stands above
option-touches = may touch: { $id } is cited in { $places }
option-names = may touch: { $id }, also in { $places }
cited-at = { $name } (line { $line })
cited-line = line { $line }
cited-more = { $count } more
quoted-missing = Missing from the document: { $what }
quoted-nowhere = These words stand nowhere in the document.
text-more = ({ $count } more characters)
said-lens = lens { $name }
said-critic = critic round { $round }
said-person = a person
draft-kept-here = "{ $what }" has a draft; { $key } opens it
questions-nothing = There is no question. F3 shows the conflicts, F5 the findings, w the report.
questions-nothing-yet = Questions are gathered when the critic has finished. F2 shows how far the run is.
question-policy = policy question: { $topic ->
    [security] security
    [privacy] privacy
    [money] money
    [law] law
    [product] product
   *[other] { $topic }
  } (only a person answers)
question-ordinary = question
question-open-count = { $open } open, { $policy } hold up writing
question-open = open
question-answered = answered
question-blocks = writing waits until you answer it or put it off in words
question-may-stay = may stay open: it is then written out unanswered
question-answer = Answer:
question-owner = Who is to answer:
question-no-owner = Nobody is named to answer; o names somebody.
question-finding = { $id } asks because:
question-remember = Not to be forgotten:
question-suggestion = It suggests:
told-saved = Saved: { $what }
told-undone = Taken back: { $what }
told-redone = Brought back: { $what }
told-conflicts-left = { $count ->
    [1] 1 conflict left
   *[other] { $count } conflicts left
  }
told-policy-left = { $count ->
    [1] 1 policy question left
   *[other] { $count } policy questions left
  }
told-next-conflicts = next: { $count ->
    [1] 1 open conflict
   *[other] { $count } open conflicts
  } (!)
told-next-policy = next: { $count ->
    [1] 1 policy question
   *[other] { $count } policy questions
  } (!)
told-questions-may-stay = { $count ->
    [1] 1 question may stay open
   *[other] { $count } questions may stay open
  }, w shows the report
told-all-decided = nothing is open, w shows the report
did-choose = { $id } { $label }
did-write = { $id } in own words
did-accept = { $id } accepted
did-reject = { $id } rejected
did-defer = { $id } put off
did-clear = { $id } undecided again
did-answer = answer to { $id }
did-assign = owner of the question of { $id }
did-defer-question = question of { $id } put off
did-clear-question = question of { $id } open again
did-strike = struck: { $id }
did-add = finding of your own
did-stop = rounds stopped
did-bulk = { $count } decisions at once
did-nothing = nothing
entry-draft = your draft
entry-begun = begun with { $label }
entry-begun-all = begun with all options
entry-begun-own = your words
entry-many = { $count } findings
why-saving = it is being saved
do-next-open = next open one
