# Runs and findings files that are opened, and windows that only show.
open-held = Read-only: { $holder } carries this run; what it does shows here
open-holder-gone = Nobody carries this run any more; { $command } takes it over
open-goes-on = This run was not finished: it goes on here
open-kept-decisions = Decisions on this file were begun and not written: here they are
open-rests = Nothing is changed until you decide something
open-cannot-change = Read-only: { $why }; { $hint }
open-cannot-follow = This window does not follow the run: { $why }
open-document-missing = { $path } is not here: the quoted lines cannot be shown
open-document-changed = Text moved or changed: { $path } is not as it was reviewed
open-unfinished = An earlier run of this document is not finished: { $command } takes it up
