"""What a review by the real model must have shown. usage: check.py EVENTS SIDE EXIT SECONDS"""

import json
import sys

events = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
side, code, seconds = sys.argv[2], int(sys.argv[3]), sys.argv[4]
asked = ("review/", "before/", "critic/")
done = [event["body"] for event in events if event["kind"] == "step_done" and event["key"].startswith(asked)]
failed = [event["body"] for event in events if event["kind"] == "attempt_failed"]
reviewers = [event for event in events if event["kind"] == "step_done" and event["key"].startswith("review/")]
critics = [event for event in events if event["kind"] == "step_done" and event["key"].startswith("critic/")]
usages = [body.get("usage", {}) for body in done + failed]
cached = sum(usage.get("cached", 0) for usage in usages)
read = sum(usage.get("tokens_in", 0) for usage in usages)
shapes = sorted({body["provenance"]["shape"] for body in done})
names = sorted({body["class"] for body in failed})


def must(holds, what):
    if not holds:
        sys.exit(f"{side}: {what}")


# A slow machine is stopped by the cap on time; what it had no time for is held up by name.
capped = "capped" in names or any(event["kind"] == "step_held" for event in events)
# Answers that were not whole: a list that stayed full, or an item that could not be read.
lacking = sum(body["provenance"]["may_be_cut"] or body["provenance"]["dropped"] > 0 for body in done)
may_fail = {"capped", "cancelled", "truncated"}
# A model of this size may write until it is cut off, and which of its answers are cut differs between machines: what must be
# there is an end with a name for everyone who was asked.
must(reviewers or "truncated" in names, f"no reviewer answered: {names}")
must(critics or capped or "truncated" in names, f"no critic answered: {names}")
must(done, f"nobody answered: {names}")
must(all(shape.startswith("json_schema") for shape in shapes), f"answers were not asked for with a schema: {shapes}")
must(all(body["provenance"]["answered"] for body in done), "the model that answered is not named")
# The second answer finds the beginning of the first; where the time was up before it there was none.
must(cached > 0 or len(done) < 2, "nothing came out of the server's cache")
must(set(names) <= may_fail, f"failures that such a model need not have: {names}")
must(events[-1]["kind"] == "run_finished", "the run did not end")
must((code == 4) == bool(names or capped or lacking), f"exit code {code} with the failures {names}, {lacking} not whole")
print(
    f"{side}: {len(done)} answers, {lacking} of them not whole, {len(failed)} failures by name ({', '.join(names) or 'none'}), shape {', '.join(shapes)}, "
    f"{read} tokens read of which {cached} from the cache, {seconds} s"
)
