# Summary and convergence lines. The wording of `convergence` is fixed by the contract.
convergence = Convergence: { $rounds } critic rounds — the findings file is complete; another run would raise 0 new problems.
stopped-cap = Not converged: stopped at the cap of { $rounds } critic rounds, { $dry ->
    [0] the last one still adding findings
   *[other] the last one dry
  }; another run may raise new problems.
stopped-hole = Not converged: { $rounds ->
    [0] no critic round
    [one] 1 critic round
   *[other] { $rounds } critic rounds
  } ran, then the critic gave no answer; another run may raise new problems.
stopped-human = Not converged: stopped by a person after { $rounds ->
    [one] 1 critic round
   *[other] { $rounds } critic rounds
  }; another run may raise new problems.
cut-windows = the critic read { $windows } windows
converged-but-cut = The critic was dry after { $rounds } rounds, but not all was read or said whole ({ $list }): the findings file is not complete.
converged-with-holes = The critic was dry after { $rounds } rounds, but { $holes ->
    [one] 1 question was
   *[other] { $holes } questions were
  } never answered: the findings file is not complete.
dry-worth = { $dry ->
    [one] 1 dry round
   *[other] { $dry } dry rounds
  } in a row cannot exclude, at 95 %, a chance of up to { $percent } % that one more round finds something.
dry-worth-offline = The offline reviewer applies rules: dry rounds say nothing about what rules cannot see.
summary-title = { $recipe } review of { $file }
summary-agents-alone = Asked: agents { $agents }, waves { $waves }; no critic round ran.
summary-agents = Reviewed by { $agents ->
    [one] 1 agent
   *[other] { $agents } agents
  } in { $waves ->
    [one] 1 wave
   *[other] { $waves } waves
  } and { $rounds ->
    [one] 1 critic round
   *[other] { $rounds } critic rounds
  } ({ $new }).
summary-findings = Findings: { $total } ({ $critical } critical, { $major } major, { $minor } minor)
summary-dimensions = By dimension: { $list }
summary-conflicts = Conflicts: { $total }, of which { $settled } settled and { $deferred } deferred
summary-questions = Open questions: { $total }
summary-duplicates = Possible duplicates, left for a reader: { $total }
summary-dropped = Dropped as invalidated: { $total }
summary-ungrounded = Quotes that are not in the document: { $total }
summary-holes = Holes, never answered: { $list }
summary-not-covered = Not covered by this reviewer, and so not clean: { $list }
summary-carried = Decisions carried over from the earlier file: { $carried }; matching nothing now: { $unmatched }
summary-recommendation = Recommendation: { $word }
summary-written = Written: { $path }
summary-backup = The file that stood there is kept as { $path }
progress-plan = plan: { $agents ->
    [one] 1 agent
   *[other] { $agents } agents
  } in { $waves ->
    [one] 1 wave
   *[other] { $waves } waves
  }, { $scopes ->
    [one] 1 scope
   *[other] { $scopes } scopes
  }, dimensions { $dimensions }
progress-started = { $step }: asked { $agent }
progress-again = { $step }: asked { $agent } again (attempt { $attempt })
progress-done = { $step }: { $findings ->
    [one] 1 finding
   *[other] { $findings } findings
  }
progress-not-covered = { $step }: not covered by { $agent }
progress-failed = { $step }: failed ({ $reason })
progress-hole = { $step }: stays a hole ({ $reason })
progress-held = { $step }: not asked ({ $reason })
progress-round = round { $round }/{ $cap }: { $new ->
    [one] 1 new finding
   *[other] { $new } new findings
  }, dry { $dry }/{ $dry_cap }
progress-gate-open = { $gate }: open, { $items ->
    [0] nothing waits for a person
    [one] 1 item waits for a person
   *[other] { $items } items wait for a person
  }
progress-gate-closed = { $gate }: closed
progress-gate-reopened = { $gate }: opened again
progress-record = { $gate }: { $op } ({ $by })
progress-settled = settled: { $findings ->
    [one] 1 finding
   *[other] { $findings } findings
  }, { $conflicts ->
    [one] 1 conflict
   *[other] { $conflicts } conflicts
  }, { $dropped } dropped
progress-written = written: { $path }
progress-resumed = run { $run } taken up again
progress-began = run { $run } began: { $file }
progress-paused = run { $run } waits: { $reason }
progress-answered = { $step }: answered
summary-only = Reviewed by lens were only: { $list }. The critic read everything; findings elsewhere are kept as they were.
op-choose = option chosen
op-write = settled in own words
op-accept = accepted
op-reject = rejected
op-defer = put off
op-answer = question answered
op-assign = question assigned
op-defer-question = question put off
op-strike = finding struck
op-add = finding added
op-stop = critic loop stopped
op-clear = decision taken back
op-clear-question = question open again
op-undo = undone
op-redo = redone
op-bulk = { $count ->
    [one] 1 decision
   *[other] { $count } decisions
  } at once
