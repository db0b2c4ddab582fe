/** Printed by `--help`. */
export const helpText: string = `Usage: wink run AGENT [DIR] [options]
       wink prompt show|seed|diff|check AGENT [options]
       wink view RUN [--out FILE] [--no-open] [--follow]
       wink replay RUN [AGENT] [--on-drift stop|force|continue] [--tools recorded|live|NAME=live,...] [--resources refuse|live]
                              [--tag TAG] [--mcp FILE] [--overrides DIR] [--workspace DIR] [--json]
       wink resume RUN [--input TEXT] [--strict] [--files check|restore|as-is] [--journal JOURNAL] [options]
       wink serve [AGENT] [--workspace DIR] [--http [--port N] [--clients N]] [--apply never|each|end] [--policy FILE] [--mcp FILE] [--approve agent|elicit|suspend]
                          [--structured] [--no-durable] [options]
       wink rewind RUN --to CALL|--before CALL [--apply] [--workspace DIR] [--full] [--journal JOURNAL]
       wink fork RUN --at CALL [--workspace DIR] [--run-id NAME] [--journal JOURNAL] [options]
       wink runs [prune [RUN...] | stop RUN [--for-good [--by NAME] [--reason TEXT]] | settle RUN | export RUN --out FILE] [--folder DIR] [--older-than 30d] [--keep N] [--once-older-than 400d] [--budgets-older-than 400d] [--dry-run] [--json] [--journal JOURNAL]
       wink once [list [--tool NAME] [--in-doubt] [--json] | settle TOOL KEY --done TEXT|--not-done] [--journal JOURNAL]
       wink budgets [list] [--name NAME] [--period PERIOD] [--json] [--journal JOURNAL]
       wink approvals list|show RUN [ID]|answer RUN [ID] --yes|--no [--note TEXT] [--by NAME] [--all] [--journal JOURNAL]
       wink journal migrate [--journal JOURNAL]
       wink worker AGENT... [--concurrency N] [--drain TIME] [--agent-version TEXT] [--strict] [--expires TIME] [--sandbox BACKEND] [--mcp FILE] [--otel] [--journal JOURNAL] [options]
       wink submit NAME [--input TEXT] [--params JSON] [--run-id NAME] [--priority N] [--start-after TIME] [--agent-version TEXT] [--journal JOURNAL]
       wink query RUN ["SQL"] [--json] [--timeout TIME] [--schema]

Runs an agent and prints a report of its calls and changes. AGENT is a file (.ts, .mts, .js, .mjs) that
exports an agent made by defineAgent(). It works on a folder as it is on disk, and its changes are kept in memory:
without --apply nothing on disk changes.

"wink prompt" manages the texts of an agent's prompt: "show" prints what the model receives, "seed" writes all texts to a file
of the repository (.weakincentives/prompts/overrides), where they can be edited, "diff" prints what the edited texts change,
"check" fails when one of them no longer fits the code.

"wink view" shows a record that "wink run --record" wrote: it makes a page of it, one file that requests nothing, and opens it.
"wink replay" runs a record again with the agent as it is now: the answers of the model and the files are those of the record. It exits with 0 when
every call and request is the same, and with 1 when something differs. AGENT, --params and the name of the folder (--workspace) are
those of the record by default. At the first request that differs it stops (--on-drift stop), goes on with the recorded answers (force), or
has a model answer from there on (continue): the agent's own, or that of --model and --base-url.

"wink query" answers SQL over the rows of a record; without SQL it lists the tables. See wink query --help. It needs Node 22.16 or later.

"wink run --durable" keeps the run in a journal, so that it outlives its process: "wink resume" goes on with it after a crash, a Ctrl-C or
a failure, without asking the model again for what it has answered. It is called as it was; --model, --base-url, limits and what is printed may be given
again. "wink rewind" shows what puts the folder of a run back to how it was after CALL (--to) or before it (--before), and with --apply writes it. "wink fork" begins another run with what a run did up to CALL, the id of a call or the number of a commit, and goes on with it; its folder must be as the run had it there (--apply=each) or at its beginning: "wink rewind" puts it back, --workspace names a copy. "wink view", "wink replay" and "wink query" take the name of such a run in place of a record. "wink runs" lists the runs of the journal, "prune" removes the named ones, or those that --older-than (30m, 12h, 30d) and --keep leave
over, "stop" ends a run of another process, which can be resumed then, or with --for-good not any more, "settle" brings the folder to the last commit of a run, "export" writes
the record of a run. A journal in a file needs Node 22.13 or later; one in PostgreSQL needs the package pg, and "wink journal migrate" makes its tables.

"wink once" lists what tools with "once" have done over all runs of a journal, and "settle" says whether what is in doubt was done: --done with what later calls read, or
--not-done, so that the next call does it. "wink runs prune --once-older-than" forgets what was done longer ago.

"wink budgets" lists what runs have spent of the budgets that they share, in each period, and what is reserved for those that go on. Limits are those of the program and not
listed. "wink runs prune --budgets-older-than" forgets periods that nothing has changed for longer, unless a run goes on that has reserved from them.

What a policy asks in such a run, without a person at a terminal, ends it with 4 and its questions. "wink approvals" lists them, "show" has the diff of the
changes that wait, "answer" keeps a yes or a no, for one question (its number, or the name that is printed with it) or --all; then "wink resume" goes on.

"wink worker" takes jobs from the queue of a journal in PostgreSQL and runs each as "wink run --durable" does it, as many as --concurrency says (default 10), on any number of
machines; agents that work on a folder need a program with runWorker(). It needs the package pg-boss 12 and Node 22.12 or later. Ctrl-C or a SIGTERM lets runs end for half of --drain (default 25s); the others go on in another worker at once.
"wink submit" sends such a job, for the agent with this NAME, and prints the name of its run: submitting it twice is one run. A larger --priority is first; --start-after is a time (30m, 12h, 30d) or a date with a zone (2026-12-01T06:00:00Z).
With --mcp its agents share the servers of the file, which are started once and end with the worker; with --otel each run is a trace, and the last ones are sent before the worker ends.
With --strict a worker leaves jobs of another --agent-version, and runs that began with another prompt, tools, policies or model, to other workers.

"wink serve" serves the tools of AGENT over the Model Context Protocol, to a client that starts it (Claude Code, Codex, OpenCode) or, with --http, on
127.0.0.1. Without AGENT it serves the files of a folder: reading, search, edits under the rule "read before write", the history of git, and with --sandbox a shell. Every call is
a transaction, and is written to the folder when it succeeds, unless --apply says otherwise. Calls on a folder are kept in a journal, so that "wink rewind" undoes them;
those of an AGENT with --durable. WINK_SERVE_TOKEN is the token of --http (default: a new one), with --clients N tokens separated by commas.

Options:
  --workspace DIR     The folder to work on, the same as DIR (default: the current one, for agents that work on files)
  --params JSON       Params of the agent's prompt; they replace its own: '{"language":"en"}'
  --input TEXT        Input of the agent, in place of its own
  --model MODEL       openai:NAME (network, OPENAI_API_KEY), anthropic:NAME (ANTHROPIC_API_KEY), ai-sdk:PACKAGE:NAME (a
                      provider package of the AI SDK, with its own key), claude-agent[:NAME] (Claude Code), acp:COMMAND (an agent that
                      speaks the Agent Client Protocol: acp:"opencode acp"), or rule-based: the agent's own adapter
  --base-url URL      The server of openai:NAME or anthropic:NAME; it may need no key
  --effort LEVEL      How much the model thinks: none, minimal, low, medium, high, xhigh or max, as far as it supports them
  --max-output-tokens N  How many tokens one answer may have, thinking included
  --context-overflow WHAT  When the conversation exceeds the context window: error (default), or drop-tool-results, the oldest
  --max-conversation-turns N  How many turns the conversation holds at most, from 2 on; beyond it the oldest are left out
  --apply[=end]       At the end write the changes to the folder, all of them, unless another process changed the same files
  --apply=each        Write the changes of each call as it succeeds; what is written stays, however the run ends
  --sandbox BACKEND   Where commands of the agent run, in place of its own: bubblewrap, virtual or podman:IMAGE
  --mcp FILE          Mount the tools of MCP servers beside those of the agent: {"mcpServers":{NAME:{"command","args","env"} or {"url","headers"}}};
                      \${VAR} and \${VAR:-default} in it are variables of the environment
  --no-enforce        Try policies out: nothing is denied or asked, the report shows what would have happened
  --max-turns N       How often the model may be called
  --max-repeated-failures N  In how many turns one call may fail alike, with no commit in between (default 5)
  --max-tokens N      How many tokens the run may take, input and output together
  --max-cost AMOUNT   What the run may cost, in the currency of the prices: 2.50
  --prices PRICES     What a million tokens cost: INPUT/OUTPUT or INPUT/CACHED/OUTPUT, such as 1.25/0.125/10
  --deadline TIME     When the run must have ended: 30s, 10m, 1h
  --timeout TIME      How long the provider of MODEL may give no sign of an answer (default 10m); then it is asked again
  --idle-timeout TIME  How long the run may be without activity; then it fails
  --json              Print one event a line as JSON, and nothing else, on the standard output
  --log FILE          Write the same lines to a file
  --redact NAME       Hide the value of this environment variable, too, in all that is printed, written and sent; may be given again. Those that
                      are named like secrets, and passwords in addresses, are hidden anyway; also for view, query and runs export of a run in a journal
  --record [FILE]     Record the run in a new file, for "wink view" and "wink replay"; without FILE in a folder of the user's state
  --durable           Keep the run in a journal, for "wink resume"
  --journal JOURNAL   Which one: a file, or a database postgres://USER@HOST/DATABASE (default: that of the variable WINK_JOURNAL, which also keeps a
                      password from the list of processes, or else a file in the user's state folder); for the other commands: where the run is
  --blobs PLACE       Where the journal's long rows are: a folder, or a module whose default export is a blob store, such as s3Blobs() (default: that of the
                      variable WINK_BLOBS, or else in the journal); for every command that takes --journal, but for journal, once and submit
  --run-id NAME       Name of the run in the journal (default: a new one)
  --suspend           With --durable: end with the questions of policies also where the terminal, or the agent, would answer them
  --expires TIME      How long such a question can be answered (30m, 12h, 7d); then the answer is no (default: at any time)
  --on-suspend CMD    Then run CMD by the shell, with the questions as JSON on its input and the run in WINK_RUN_ID; 30 seconds
  --http, --port N    For serve: listen on 127.0.0.1, on this port (default: a free one), in place of standard input and output
  --clients N         For serve --http: a token for each of N clients (default 1), so that what one has read another one has not
  --policy FILE       For serve without AGENT: a module that exports further rules as "policies"
  --approve WHO       For serve: who answers the questions of policies: agent (default; without its own approve function "wink approvals", or a no
                      without a journal), elicit, the client, or suspend, "wink approvals"
  --structured        For serve: results carry their values, too; some clients show a model these in place of the text
  --no-durable        For serve without AGENT: keep no journal
  --concurrency N, --drain TIME  For worker: how many runs go on at a time, and how long its end may take
  --strict            For resume: refuse when the prompt, tools, policies or model have changed
  --files WHAT        For resume, when files that the run has written are not as it left them: check (default: refuse, and name them), restore
                      (write what it left) or as-is (go on with what is there)
  --deltas            With --json or --log: also stream the answers of the model
  --otel              Send the run to OpenTelemetry, as the variables OTEL_* and TRACEPARENT say; needs @opentelemetry/sdk-node
  --verbose           Print log lines, what the model writes, and the stack of errors
  --full              Print the whole table of calls and the whole diff
  --tag TAG           Run or replay with a set of edited texts (wink prompt); for prompt: which one (default "latest", for check all)
  --overrides DIR     The folder that holds the edited texts
  --refresh           For prompt seed: replace texts that no longer fit the code
  --out FILE          For view: where the page is written (default: a private folder for temporary files); it is not opened. For runs export: the record
  --no-open           For view: print where the page is, and do not open it
  --follow            For view: serve the page on 127.0.0.1 until Ctrl-C, and show rows as the run writes them
  -h, --help          Print this help
  -V, --version       Print the version

Exit code: 0 done, 1 the run failed, 2 bad input, 3 another process changed the same files, 4 the run waits for answers, 130 interrupted.
`;
