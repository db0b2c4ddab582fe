import { ResourceError } from '../../../error/index.ts';
import type { Filesystem } from '../../../filesystem/index.ts';
import type { ResourceResolver } from '../../../resource/index.ts';
import type { JsonValue } from '../../../schema/index.ts';
import type { SessionView } from '../../../session/index.ts';
import type {
  BudgetTrackerPort,
  DeadlinePort,
  Logger,
  NestedAdapter,
  PromptPort,
  RenderedPromptPort,
  ToolContext,
} from '../../../tool/index.ts';
import type { KeptResults } from '../../context/kept-results.ts';
import type { BareEvent } from '../../events/run-event.ts';
import { seenPrompt } from '../../model/visible-prompt.ts';
import { askUser } from './ask-user.ts';
import type { CallAttempt } from './attempt.ts';
import { outerCallFor } from './outer-call-for.ts';

/**
 * The frozen view of the outer run that a handler gets.
 *
 * @see docs/spec/tools.md §6
 */
export function createToolContext(attempt: CallAttempt): ToolContext {
  return Object.freeze(new CallContext(attempt));
}

/** Rarely used members are made when they are read. Members can be destructured. */
class CallContext implements ToolContext {
  readonly callId: string;
  readonly attempt: number;
  readonly #attempt: CallAttempt;
  #prompt: PromptPort | undefined;
  #adapter: NestedAdapter | undefined;

  constructor(attempt: CallAttempt) {
    this.callId = attempt.resolved.call.callId;
    this.attempt = attempt.number;
    this.#attempt = attempt;
  }

  get prompt(): PromptPort {
    this.#prompt ??= seenPrompt(this.#attempt.environment, () => this.session);
    return this.#prompt;
  }

  /** For the tool that reads them. @internal */
  get '~results'(): KeptResults | undefined {
    return this.#attempt.environment.results;
  }

  get renderedPrompt(): RenderedPromptPort {
    return this.#attempt.environment.display.rendered;
  }

  get adapter(): NestedAdapter {
    this.#adapter ??= this.#attempt.environment.evaluatorFor(outerCallOfHandler(this.#attempt));
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

  get workspace(): string | undefined {
    return this.#attempt.transaction.filesystem?.hostPath;
  }

  get deadline(): DeadlinePort | undefined {
    return this.#attempt.environment.deadline;
  }

  get budgetTracker(): BudgetTrackerPort | undefined {
    return this.#attempt.environment.budget.tracker;
  }

  get idempotencyKey(): string {
    return this.#attempt.idempotencyKey;
  }

  get onceKey(): string | undefined {
    return this.#attempt.onceKey;
  }

  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  get logger(): Logger {
    return this.#attempt.environment.logger;
  }

  get askUser(): ToolContext['askUser'] {
    return (question) => {
      const answer = askUser(this.#attempt, question);
      // An aborted handler cannot handle the rejection any more, and that must not end the process.
      answer.catch(() => undefined);
      return answer;
    };
  }

  get beat(): () => void {
    const { callId, toolName, turn } = this.#attempt.resolved.call;
    return () => this.#emit({ type: 'tool-call-heartbeat', turn, callId, toolName });
  }

  get progress(): (update: JsonValue) => void {
    const { callId, toolName, turn } = this.#attempt.resolved.call;
    return (update) => this.#emit({ type: 'tool-call-progress', turn, callId, toolName, update });
  }

  /** What a handler emits after its call has ended is dropped. */
  #emit(event: BareEvent): void {
    if (this.#attempt.transaction.isOpen) this.#attempt.environment.emit(event);
  }
}

/** The attempt as evaluations inside its handler see it. */
function outerCallOfHandler(attempt: CallAttempt): ReturnType<typeof outerCallFor> {
  const { environment, resolved, transaction } = attempt;
  return outerCallFor(attempt, {
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
    emit: (event) => {
      if (transaction.isOpen) environment.passOn(event);
    },
  });
}
