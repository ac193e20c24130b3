# The workbench.
clipboard-sent = Sent to the terminal’s clipboard; whether it took it, it does not say.
clipboard-sent-tmux = Sent to tmux; it passes it on only with “set-clipboard on”.
clipboard-tmux-buffer = In tmux’s buffer: paste it with the prefix key and ].
clipboard-tmux-refused = tmux did not take it into its buffer: { $reason }
clipboard-tmux-silent = tmux did not answer within 3 seconds; it may not have it.
clipboard-too-long = Not sent: { $size } kB are more than a terminal’s clipboard takes ({ $max } kB). Write it to a file instead.
clipboard-not-sent = The terminal did not take it: { $reason }
clipboard-file = Written to { $path }
clipboard-file-failed = The file could not be written: { $reason }

editor-no-command = { $value } is no command: a quotation mark is not closed. Your text is as it was.
editor-missing = { $program } is not installed: set $EDITOR to your editor. Your text is as it was.
editor-failed = { $program } ended with code { $code }: your text is as it was.
editor-killed = { $program } was ended by a signal: your text is as it was.
editor-too-long = The editor left { $size } MiB; { $max } MiB at most are taken. Your text is as it was.
editor-no-text = The editor left something that is no UTF-8 text: your text is as it was.
editor-trouble = The editor could not be used: { $reason }. Your text is as it was.
