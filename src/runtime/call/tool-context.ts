import { ResourceError } from '../../error/index.ts';
import type { Filesystem } from '../../filesystem/index.ts';
import type { ResourceResolver } from '../../resource/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import type { SessionView } from '../../session/index.ts';
import type {
  BudgetTrackerPort,
  DeadlinePort,
  EvaluatorPort,
  Logger,
  PromptPort,
  RenderedPromptPort,
  ToolContext,
} from '../../tool/index.ts';
import type { RunEvent } from '../events/run-event.ts';
import type { RunStop } from '../limits/run-stop.ts';
import { seenPrompt } from '../model/visible-prompt.ts';
import { callInside, type EnclosingAttempt } from './call-inside.ts';
import type { EvaluationEnvironment } from './environment.ts';

/** What a context needs of the attempt that it belongs to. */
export interface HandledAttempt extends EnclosingAttempt {
  readonly signal: AbortSignal;
  /** What evaluations inside the attempt follow. */
  readonly innerStop: RunStop;
}

/**
 * The frozen view of the surrounding run that a handler gets.
 *
 * @see spec TOOLS "ToolContext"
 */
export function createToolContext(environment: EvaluationEnvironment, attempt: HandledAttempt): ToolContext {
  return Object.freeze(new CallContext(environment, attempt));
}

/** What few handlers look at is made when it is looked at. Members can be taken out of it. */
class CallContext implements ToolContext {
  readonly callId: string;
  readonly attempt: number;
  readonly #environment: EvaluationEnvironment;
  readonly #attempt: HandledAttempt;
  #prompt: PromptPort | undefined;
  #adapter: EvaluatorPort | undefined;

  constructor(environment: EvaluationEnvironment, attempt: HandledAttempt) {
    this.callId = attempt.resolved.call.callId;
    this.attempt = attempt.number;
    this.#environment = environment;
    this.#attempt = attempt;
  }

  get prompt(): PromptPort {
    this.#prompt ??= seenPrompt(this.#environment, () => this.session);
    return this.#prompt;
  }

  get renderedPrompt(): RenderedPromptPort {
    return this.#environment.display.rendered;
  }

  get adapter(): EvaluatorPort {
    this.#adapter ??= this.#environment.evaluatorFor(
      insideHandler(this.#environment, this.#attempt, (event) => this.#tell(event)),
    );
    return this.#adapter;
  }

  get session(): SessionView {
    return this.#attempt.transaction.session;
  }

  get resources(): ResourceResolver {
    return this.#attempt.transaction.resolver;
  }

  get filesystem(): Filesystem {
    const { filesystem } = this.#attempt.transaction;
    if (filesystem !== undefined) return filesystem;
    const { toolName } = this.#attempt.resolved.call;
    throw new ResourceError(
      'resource-unbound',
      `The tool "${toolName}" uses files, but no file system is bound to the prompt. Add vfsToolsSection(), or bind one to the token Filesystem.`,
    );
  }

  get deadline(): DeadlinePort | undefined {
    return this.#environment.deadline;
  }

  get budgetTracker(): BudgetTrackerPort | undefined {
    return this.#environment.budget.tracker;
  }

  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  get logger(): Logger {
    return this.#environment.logger;
  }

  get beat(): () => void {
    const { callId, toolName } = this.#attempt.resolved.call;
    return () => this.#tell({ type: 'heartbeat', callId, toolName });
  }

  get progress(): (update: JsonValue) => void {
    const { callId, toolName } = this.#attempt.resolved.call;
    return (update) => this.#tell({ type: 'tool-progress', callId, toolName, update });
  }

  /** A handler that was given up on has nothing to tell any more: its call has ended for everyone else. */
  #tell(event: RunEvent): void {
    if (this.#attempt.transaction.isOpen) this.#environment.emit(event);
  }
}

/** The attempt as evaluations inside its handler see it. */
function insideHandler(
  environment: EvaluationEnvironment,
  attempt: HandledAttempt,
  tell: (event: RunEvent) => void,
): ReturnType<typeof callInside> {
  const { resolved, transaction } = attempt;
  return callInside(environment, attempt, {
    effects: resolved.bound.tool.effects,
    get isOpen() {
      return transaction.isOpen;
    },
    session: transaction.session,
    sessionFork: transaction.sessionFork,
    filesystem: transaction.filesystem,
    get stop() {
      return attempt.innerStop;
    },
    tell,
  });
}
