import { type ResumeRequest, readResumeArguments } from './options/resume-arguments.ts';
import { type RunRequest, readRunArguments } from './options/run-arguments.ts';
import { readServeArguments, type ServeRequest } from './options/serve-arguments.ts';
import { UsageError } from './process/errors.ts';
import { type PromptRequest, readPromptArguments } from './prompt/prompt-arguments.ts';
import { type QueryHelpRequest, type QueryRequest, readQueryArguments } from './query/query-arguments.ts';
import { type ReplayRequest, readReplayArguments } from './replay/replay-arguments.ts';
import { type ApprovalsRequest, readApprovalsArguments } from './runs/approvals-arguments.ts';
import { type BudgetsRequest, readBudgetsArguments } from './runs/budgets-arguments.ts';
import { type ForkRequest, readForkArguments } from './runs/fork-arguments.ts';
import { type JournalRequest, readJournalArguments } from './runs/journal-arguments.ts';
import { type OnceRequest, readOnceArguments } from './runs/once-arguments.ts';
import { type RewindRequest, readRewindArguments } from './runs/rewind-arguments.ts';
import { type RunsRequest, readRunsArguments } from './runs/runs-arguments.ts';
import { readViewArguments, type ViewRequest } from './view/view-arguments.ts';
import { readSubmitArguments, type SubmitRequest } from './worker/submit-arguments.ts';
import { readWorkerArguments, type WorkerRequest } from './worker/worker-arguments.ts';

/** A request from the command line. */
export type CliRequest =
  | { readonly kind: 'help' | 'version' }
  | RunRequest
  | PromptRequest
  | ViewRequest
  | ReplayRequest
  | QueryRequest
  | QueryHelpRequest
  | ResumeRequest
  | ForkRequest
  | RewindRequest
  | RunsRequest
  | OnceRequest
  | BudgetsRequest
  | ApprovalsRequest
  | JournalRequest
  | ServeRequest
  | WorkerRequest
  | SubmitRequest
  /** An invalid command line; `message` is one line. */
  | { readonly kind: 'usage-error'; readonly message: string };

/** Reads the words after the name of a command; any other first word is for `wink run`. */
const readers = new Map<string | undefined, (argv: readonly string[]) => CliRequest>([
  ['prompt', readPromptArguments],
  ['view', readViewArguments],
  ['replay', readReplayArguments],
  ['query', readQueryArguments],
  ['resume', readResumeArguments],
  ['fork', readForkArguments],
  ['rewind', readRewindArguments],
  ['runs', readRunsArguments],
  ['once', readOnceArguments],
  ['budgets', readBudgetsArguments],
  ['approvals', readApprovalsArguments],
  ['journal', readJournalArguments],
  ['serve', readServeArguments],
  ['worker', readWorkerArguments],
  ['submit', readSubmitArguments],
]);

/** Parses the arguments after the name of the program. Never throws. */
export function readArguments(argv: readonly string[]): CliRequest {
  try {
    return readers.get(argv[0])?.(argv.slice(1)) ?? readRunArguments(argv);
  } catch (error) {
    return {
      kind: 'usage-error',
      message: error instanceof UsageError ? error.message : parserMessage(error),
    };
  }
}

/** The messages of parseArgs are long; the first sentence says what is wrong. */
function parserMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const sentence = (/^.*?(?=\. |\n|$)/s.exec(text)?.[0] ?? text).replace(/\.$/, '');
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}.`;
}
