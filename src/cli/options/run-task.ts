import { resolve } from 'node:path';
import { present } from '../../core/internal/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import type { Budget, ModelSettings } from '../../core/tool/index.ts';
import type { ResumedFiles } from '../../durable/index.ts';
import type { ModelChoice } from '../model/model-choice.ts';
import type { JournalNames } from './journal-names.ts';
import type {
  AddedTexts,
  ApplyMode,
  ContextCompaction,
  ContextOverflow,
  OverridesChoice,
  SandboxChoice,
} from './option-values.ts';

/** What happens to questions without an answer during a run that is kept in a journal. */
export interface SuspensionChoice {
  /** Whether the run is suspended also where someone could answer: at a terminal, or a function of the agent. */
  readonly isForced: boolean;
  /** How long a question can be answered; undefined: at any time. */
  readonly expiresMs: number | undefined;
  /** A command line for the shell, which is run when the run is suspended; undefined: none. */
  readonly command: string | undefined;
}

/** What a run is to do, and within which limits: its journal keeps it, so that it can continue. Undefined: not specified. */
export interface RunTask {
  /** Path of a module. */
  readonly agent: string;
  readonly workspace: string | undefined;
  readonly params: JsonObject;
  readonly input: string | undefined;
  readonly model: ModelChoice | undefined;
  readonly baseUrl: string | undefined;
  /** Settings of the model; they take precedence over those of its adapter. */
  readonly settings: ModelSettings;
  /** Undefined, also in requests that earlier versions have kept: the conversation is not compacted. */
  readonly contextCompact?: ContextCompaction | undefined;
  /** Undefined: the model gets all of a result at once. */
  readonly contextResults?: number | undefined;
  readonly contextOverflow: ContextOverflow | undefined;
  readonly maxConversationTurns: number | undefined;
  readonly maxTurns: number | undefined;
  readonly maxRepeatedFailures: number | undefined;
  /** The budget of the run; takes precedence over the agent's. */
  readonly budget: Budget;
  readonly deadlineMs: number | undefined;
  /** How long the provider of a model of `--model` may give no sign of an answer. */
  readonly timeoutMs: number | undefined;
  /** How long the run may be without activity. */
  readonly idleTimeoutMs: number | undefined;
  readonly suspension: SuspensionChoice;
  /** Undefined: the texts of the code. */
  readonly overrides: OverridesChoice | undefined;
  /** When changes are written to the folder; undefined: never. */
  readonly apply: ApplyMode | undefined;
  /** Undefined: the agent's own. */
  readonly sandbox: SandboxChoice | undefined;
  /** File of servers whose tools the agent gets as well; undefined: none. */
  readonly mcpFile: string | undefined;
  /** Texts that the agent gets besides its own. Absent: none. */
  readonly texts?: AddedTexts | undefined;
  /** False: policies are evaluated, but nothing is denied and no approval is requested. */
  readonly isEnforced: boolean;
  /** Names of environment variables whose values are not shown, besides those that are named like secrets. */
  readonly redact?: readonly string[] | undefined;
}

/** A request of `wink run`. */
export interface RunRequest extends RunTask, RunOutputs {
  readonly kind: 'run';
  /** File of the record; empty: a new one in the folder of records. Undefined: the run is not recorded. */
  readonly recordFile: string | undefined;
  /** Undefined: the run is not kept in a journal. */
  readonly durable: DurableChoice | undefined;
  /** Whether it runs again when a file of the agent changes, until it is stopped. */
  readonly isWatched: boolean;
}

/** What of a run is printed, written and reported. */
export interface RunOutputs {
  readonly logFile: string | undefined;
  readonly isJson: boolean;
  /** Whether events include the deltas of the model's answers. */
  readonly hasDeltas: boolean;
  readonly isVerbose: boolean;
  /** Whether the run is reported to OpenTelemetry. */
  readonly hasTelemetry: boolean;
  /** Whether the table of calls and the diff are printed without limits. */
  readonly isFull: boolean;
  /** Whether only the outcome is printed, and nothing while the run works. */
  readonly isQuiet: boolean;
}

/** A run that is kept in a journal, as the command line asks for it. */
export interface DurableChoice {
  /** Undefined: the journal of the environment, or else the one in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
  /** Name of the run; undefined: a new one. */
  readonly runId: string | undefined;
  /** With absolute paths; without the folder that is worked on when none is named. */
  readonly task: RunTask;
  /** The run that is resumed under this name; undefined: it begins. */
  readonly resumed: RunToResume | undefined;
}

/** When a run began and had its answer, in milliseconds since the Unix epoch. */
export interface EndedEarlier {
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
}

/** What is known of a run that is resumed. */
export interface RunToResume {
  readonly sessionId: string;
  /** Whether a changed prompt, tools, policies or model are refused. */
  readonly isStrict: boolean;
  /** What to do about a folder that is not as the run left it; undefined: as `resumeRun` does. */
  readonly files: ResumedFiles | undefined;
  /** What is said to the model before it continues; undefined: nothing. */
  readonly input: string | undefined;
  /** When it had its answer; undefined: it has none yet. */
  readonly ended: EndedEarlier | undefined;
  /** Whether its changes are in the folder already, where they are written at the end. */
  readonly isApplied: boolean;
}

/** The task with absolute paths, so that it can be taken up in another folder. */
export function absoluteTask<
  Task extends Pick<RunTask, 'overrides' | 'mcpFile' | 'texts'> & { readonly agent?: string | undefined },
>(task: Task): Task {
  const { agent, mcpFile, overrides, texts } = task;
  return {
    ...task,
    ...present({
      texts:
        texts === undefined ? undefined : { ...texts, skills: texts.skills.map((folder) => resolve(folder)) },
    }),
    agent: absolutePath(agent),
    mcpFile: absolutePath(mcpFile),
    overrides: overrides === undefined ? undefined : { ...overrides, root: absolutePath(overrides.root) },
  };
}

/** The absolute path; undefined for none. */
export function absolutePath(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path);
}
