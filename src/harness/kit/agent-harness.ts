import type { ToolRuntime } from '../../core/evaluation/index.ts';
import type { Filesystem } from '../../core/filesystem/index.ts';
import type {
  FinishReason,
  InputPart,
  ModelCallOptions,
  ModelTurn,
  RunEventListener,
  TokenUsage,
} from '../../core/runtime/index.ts';
import type { JsonSchema, JsonValue } from '../../core/schema/index.ts';
import type { ModelSettings, TokenPrices } from '../../core/tool/index.ts';

/** What a harness can do. What it cannot do is refused before a run starts. */
export interface HarnessCapabilities {
  /** Parts of the input that it takes beside text. Default: none. */
  readonly input?: readonly ('image' | 'file')[];
  /** Settings of `evaluate()` that it honors, by their names. Default: none. */
  readonly settings?: readonly string[];
  /**
   * Whether it reports when its model is asked and what it answers, which must not wait for the calls of the answer: they run once it is reported.
   * `limits.maxTurns` needs that. Default: false.
   */
  readonly turns?: boolean;
  /** Whether it emits what its model says piece by piece. Default: false. */
  readonly streaming?: boolean;
  /** Whether it reports what was taken while it runs, so that a budget can end the run. Default: false. */
  readonly usage?: boolean;
  /** Whether it makes its model answer with JSON that fits `outputSchema`. Default: false; a tool `finish` then takes the answer. */
  readonly outputSchema?: boolean;
  /** Whether its model takes another message after an answer, about what is missing or wrong. Default: false. */
  readonly followUps?: boolean;
  /** Whether its model gets tools that are added while it runs. Default: false. */
  readonly addedTools?: boolean;
}

/** The tools of a run, as a harness serves them to its model. Its members fit where those of a `ToolRuntime` do. */
export interface HarnessTools extends Pick<ToolRuntime, 'instructions' | 'tools' | 'toolNamed' | 'call'> {
  /**
   * Calls `listener` with every event of the run, such as the progress of calls. It must not throw.
   *
   * @returns ends it.
   */
  onEvent(listener: RunEventListener): () => void;
}

/** The files of a prompt, for a harness whose own tools work on files. */
export interface HarnessFiles {
  /** A copy of the files as they are when the run begins. What is changed in it stays apart until it is committed. */
  readonly copy: Filesystem;
  /**
   * Puts what was changed in the copy, since the last time, on the files, in one call of `harness_files`: policies, observers and the record see it
   * like any other call. It fails for a file that was changed on both sides.
   *
   * @returns why nothing was put there, for the model; undefined when all was, or there was nothing.
   * @throws what the run ends with.
   */
  commit(): Promise<string | undefined>;
}

/** What is known of a run before anything is begun. */
export interface HarnessCheck {
  /** Settings of the caller: only those that the harness honors by their names. */
  readonly settings: ModelSettings;
  /** Whether the prompt binds a `Filesystem`. */
  readonly hasFiles: boolean;
}

/** What a harness is to do. */
export interface HarnessRequest {
  /** The rendered prompt (system text). */
  readonly instructions: string;
  /** What the user says; empty when there is nothing beside the instructions. */
  readonly input: readonly InputPart[];
  readonly tools: HarnessTools;
  /** JSON Schema of the final answer; only for a harness with the capability `outputSchema`. */
  readonly outputSchema?: JsonSchema;
  /** Settings of the caller: only those that the harness honors. */
  readonly settings: ModelSettings;
  /** The files of the prompt. Absent: it has none. */
  readonly files?: HarnessFiles;
}

/** An answer of the model of a harness. */
export interface HarnessAnswer {
  /** The last text of the model. */
  readonly text: string;
  /** The answer as JSON, from a harness with the capability `outputSchema`. Default: it is looked for in the text. */
  readonly output?: JsonValue;
  /** Why the model stopped. */
  readonly finishReason: FinishReason;
  /** What the run has taken so far, all turns together, as far as the harness knows. What its turns reported is not counted again. Default: that of its turns. */
  readonly usage?: TokenUsage;
}

/** How a run of a harness ended. */
export interface HarnessOutcome extends HarnessAnswer {
  /** How the harness names its session, for logs. Default: not known. */
  readonly sessionId?: string;
  /** How often its model was asked, for logs. Default: not known. */
  readonly turns?: number;
  /** What the run cost in US dollars, as the harness reckons it, for logs. Default: not known. */
  readonly costUsd?: number;
}

/**
 * What a harness gets beside the request. `onDelta` is there only when the run streams. When a function returns a promise, the harness waits for it before it
 * continues. All but `onAnswer` never throw and never reject; when they learn that the run has to end, `signal` is aborted.
 */
export interface HarnessRunOptions extends Pick<ModelCallOptions, 'signal' | 'logger' | 'onDelta'> {
  /** The timers of the run. */
  readonly clock: NonNullable<ModelCallOptions['clock']>;
  /** The model is asked. A harness that does not know leaves it out. */
  onTurnStart(): Promise<void> | undefined;
  /** The model has answered, before its calls are made or while they run. A harness that does not know leaves it out. */
  onTurn(turn: ModelTurn): Promise<void> | undefined;
  /** What was taken so far in the run, all turns together; for a harness that does not know it turn by turn. */
  onUsage(usage: TokenUsage): void;
  /** Whether the model has given its answer by the tool `finish`: it need not be asked again. */
  hasAnswer(): boolean;
  /**
   * The model is done. Resolves with the next message to it, undefined when the run is over. A harness with the capability `followUps` calls it with each answer, the
   * last one included; any other leaves it out.
   *
   * @throws what the run ends with.
   */
  onAnswer(answer: HarnessAnswer): Promise<string | undefined>;
}

/** A program that runs an agent loop of its own: it asks the model, and its model calls the tools of the request. */
export interface AgentHarness {
  /** Shown in events and errors. */
  readonly name: string;
  /** Name of the model as its provider knows it. Default: `name`. */
  readonly model?: string;
  /** Name of the provider as the GenAI conventions of OpenTelemetry have it. Default: not known. */
  readonly provider?: string;
  /** What its model costs, for budgets that do not say. Default: not known. */
  readonly prices?: TokenPrices;
  readonly capabilities: HarnessCapabilities;
  /** Looks at what it would get, before anything is begun. May throw, best a `PromptValidationError`, for what it cannot use. Default: it can use everything. */
  check?(check: HarnessCheck): void;
  /**
   * Runs the agent until its model is done. Must stop soon when `options.signal` is aborted, and settle when nothing of it runs any more. May reject: the
   * evaluation ends with a `PromptEvaluationError`, of phase `response` for a `ModelResponseError` and of phase `request` for all else.
   */
  run(request: HarnessRequest, options: HarnessRunOptions): Promise<HarnessOutcome>;
}
