# Messages of the offline reviewer: what is wrong here, and what to write instead.
# $place is an id (AC-05), a section title in quotation marks, or a line; $words are the document's own, in quotation marks.
lint-line = line { $line }
lint-beginning = the beginning of the document
lint-numbered = { $owner } no. { $number }
lint-within = { $section } of { $owner }
lint-section = the section { $section }
lint-rules-section = a business rule of its own
lint-somebody = the user

lint-P01-rule = { $place } still says { $words }: nobody can build or test it until that is decided.
lint-P01-finding = { $words } stands in { $place } where a decision belongs, so readers cannot tell what will be delivered.
lint-P01-move = Write the decided value in place of { $words }. If it is not decided yet, ask for it under { $section } with an owner and a date, and let { $place } name that question.
lint-P01-suggestion = Write the decided value in place of { $words } in { $place }. If it is not decided yet, list it as an open question with an owner and a date.

lint-X01-finding = { $id } is given a second time here; on line { $line } it already stands for { $first }. Whoever cites { $id } cannot say which of the two applies.
lint-X01-suggestion = Give this one the free number { $next } and leave { $id } to the first.
lint-X01-cited = Give this one the free number { $next } and leave { $id } to the first; then check which of the two is meant where { $id } is cited (line { $lines }).
lint-X01-copy = { $id } stands here a second time with the words of line { $line }; when one of the two is changed, nobody knows which applies.
lint-X01-copy-suggestion = Delete one of the two copies of { $id }.
lint-X01-ordinal = Number { $number } is given twice in { $place }, here and on line { $line }: a remark on “number { $number }” can mean either.
lint-X01-ordinal-suggestion = Make this one number { $next } and count on from there; adjust what cites a number from { $number } on.

lint-X02-finding = { $place } relies on { $ids }, which the document does not define (it defines { $known }).
lint-X02-again = { $place } relies on { $ids }, which the document does not define (it defines { $known }); so does line { $lines }.
lint-X02-others = { $count } others, from { $first } to { $last }, but not { $ids }
lint-X02-suggestion = Write down what { $ids } says where its kind is defined ({ $section }), or cite the one that is meant.
lint-X02-near = Cite { $near } if that is what { $ids } was meant to be; otherwise write down what { $ids } says.

lint-C01-finding = { $place } says { $value }, but { $first_place } (line { $first_line }) says { $first } for the same thing. Both cannot hold.
lint-C01-suggestion = Choose between { $first } and { $value }, state the value in one place, and let the other cite it.
lint-C01-option = { $value } holds, as in { $place }; change { $others } to it.

lint-A01-amount = { $words } in { $place } does not say how many or which ones.
lint-A01-amount-suggestion = Name the number, or list the cases, in place of { $words }.
lint-A01-judged = { $words } in { $place } leaves it to each reader what is good enough, so no test can decide.
lint-A01-judged-suggestion = Say in place of { $words } what can be seen or measured: a value, a list, or the rule that decides.
lint-A01-both = In { $place }, { $amounts } does not say which ones, and { $judged } does not say what is good enough.
lint-A01-both-suggestion = List the cases meant by { $amounts }, and say in place of { $judged } what can be seen or measured.
lint-A01-related = { $words } in { $place } does not say to what: each reader draws the line elsewhere.
lint-A01-related-suggestion = Name in place of { $words } what is meant, or say what it must have in common with what.

lint-A04-finding = In { $place }, { $words } leaves it to whoever builds it whether this holds at all.
lint-A04-suggestion = Put the condition itself in place of { $words } (“when …”, or the rule that decides it); where there is none, leave { $words } out.

lint-T01-finding = { $place } says { $words } where the agreed word is { $right }; readers will take them for two things.
lint-T01-bare = { $place } says { $words }, which the project has ruled out.
lint-T01-suggestion = Write { $right } instead of { $word }.
lint-T01-form = Write { $right } instead of { $word }.
lint-T01-choose = Write { $choices } instead of { $word }, whichever is meant.
lint-T01-choose-word = Use the agreed word instead of { $word }.

lint-B01a-finding = { $place } describes how the system works inside ({ $words }) instead of what somebody can see.
lint-B01a-suggestion = Move the part about { $words } to { $target }; { $place } keeps the outcome that can be seen and cites that rule.

lint-B02-finding = { $place } only repeats { $rule } (line { $line }): it gives nothing to check beyond the rule, and every change has to be made twice.
lint-B02-suggestion = Move the wording back to { $rule }, where it belongs; { $place } keeps the reference to { $rule } and the outcome that can be seen when it is met or broken.

lint-G01-finding = { $unit } says only what happens when all goes well; nothing tells what { $actor } meets when something is missing, is refused or fails.
lint-G01-suggestion = Say for { $unit } what { $actor } sees and can do when input is wrong or missing, when the request is refused, and when it fails on the way.
lint-G01-shows = Say for { $unit } what { $actor } sees when there is nothing to show, when access is refused, and when loading fails.

lint-S01-finding = Nothing leads out of { $states }: it is entered on line { $lines }, no transition starts there, and nothing marks it as an end.
lint-S01-unreached = No transition leads to { $states } or starts there, and nothing marks it as an end.
lint-S01-suggestion = Say what happens next in { $states } (which event leads to which state), or mark it as final.

lint-M02-finding = { $question } has no answer yet; what depends on it cannot be built.
lint-M02-policy = { $question } has no answer yet, and it is a decision on { $topic } that a person has to take.
lint-M02-suggestion = Name who answers it and by when; write the answer where it applies and close the question in { $place }.
lint-M02-owned = Get the answer from { $owner }, write it where it applies, and close the question in { $place }.
lint-topic-security = security
lint-topic-privacy = privacy
lint-topic-law = law
lint-topic-money = money
lint-topic-product = product scope

lint-P0-finding = The document names none of the known domains ({ $domains }), so nobody can tell where it belongs.
lint-P0-suggestion = Say at the beginning which of these domains it is about: { $domains }.

lint-P3-value = { $place } says { $value }, but { $file } (line { $line }) says { $other } for the same thing.
lint-P3-value-suggestion = Choose between { $value } and { $other }, and state it in one of the two documents.
lint-P3-value-here = { $value } holds, as this document says in { $here }; { $file } is changed to it in { $there }.
lint-P3-value-there = { $other } holds, as { $file } says in { $there }; this document is changed to it in { $here }.
lint-P3-id = { $id } is defined here and, with other words, in { $file } (line { $line }): { $other }.
lint-P3-id-suggestion = Let one document define { $id } and the other cite it, or give one of them another number.
lint-P3-id-here = The definition of { $id } in this document holds; { $file } cites it.
lint-P3-id-there = The definition of { $id } in { $file } holds; this document cites it.
