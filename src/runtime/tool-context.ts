import { ResourceError } from '../error/index.ts';
import type { Filesystem } from '../filesystem/index.ts';
import type { ResourceResolver } from '../resource/index.ts';
import type { EvaluatorPort, TokenUsage, ToolContext } from '../tool/index.ts';
import type { EvaluationEnvironment } from './environment.ts';
import type { OuterCall } from './outer-call.ts';
import type { RunEvent } from './run-event.ts';
import type { RunStop } from './run-stop.ts';
import type { ResolvedCall } from './tool-call.ts';
import type { CallTransaction } from './transaction.ts';

/** What a context is made of beside the environment. */
export interface ToolContextParts {
  readonly resolved: ResolvedCall;
  readonly attempt: number;
  readonly transaction: CallTransaction;
  /** The attempt's abort signal, made on first use. */
  readonly signal: () => AbortSignal;
  /** What evaluations inside the attempt follow, made on first use. */
  readonly innerStop: () => RunStop;
  /** Takes down what evaluations inside the attempt spent. */
  readonly countUsage: (usage: TokenUsage | undefined) => void;
}

/**
 * The frozen view of the surrounding run that a handler gets.
 *
 * @see spec TOOLS "ToolContext"
 */
export function createToolContext(environment: EvaluationEnvironment, parts: ToolContextParts): ToolContext {
  const { resolved, transaction } = parts;
  const { callId, toolName } = resolved.call;
  const budgetTracker = environment.budget.tracker;
  // A handler that was given up on has nothing to tell any more: its call has ended for everyone else.
  const tell = (event: RunEvent): void => {
    if (transaction.isOpen) environment.emit(event);
  };
  let adapter: EvaluatorPort | undefined;
  return Object.freeze({
    prompt: environment.prompt,
    renderedPrompt: environment.display.rendered,
    get adapter(): EvaluatorPort {
      // Made when it is looked at: few handlers do.
      adapter ??= environment.evaluatorFor(outerCall(environment, parts, tell));
      return adapter;
    },
    session: transaction.session,
    get resources(): ResourceResolver {
      return transaction.resources.resolver;
    },
    get filesystem(): Filesystem {
      if (transaction.filesystem === undefined) {
        throw new ResourceError(
          'resource-unbound',
          `The tool "${toolName}" uses files, but no file system is bound to the prompt. Add vfsToolsSection(), or bind one to the token Filesystem.`,
        );
      }
      return transaction.filesystem;
    },
    ...(environment.deadline === undefined ? {} : { deadline: environment.deadline }),
    ...(budgetTracker === undefined ? {} : { budgetTracker }),
    callId,
    attempt: parts.attempt,
    get signal(): AbortSignal {
      return parts.signal();
    },
    logger: environment.logger,
    beat: () => tell({ type: 'heartbeat', callId, toolName }),
    progress: (update) => tell({ type: 'tool-progress', callId, toolName, update }),
  } satisfies ToolContext);
}

/** The attempt as evaluations inside it see it. */
function outerCall(
  environment: EvaluationEnvironment,
  { resolved, attempt, transaction, innerStop, countUsage }: ToolContextParts,
  tell: (event: RunEvent) => void,
): OuterCall {
  const { callId, toolName } = resolved.call;
  return {
    callId,
    toolName,
    effects: resolved.bound.tool.effects,
    attempt,
    path: [...(environment.outer?.path ?? []), callId],
    run: environment,
    get isOpen(): boolean {
      return transaction.isOpen;
    },
    session: transaction.session,
    sessionFork: transaction.sessionFork,
    filesystem: transaction.filesystem,
    resources: transaction.outerResources,
    get stop(): RunStop {
      return innerStop();
    },
    countUsage,
    tell: (evaluation, event) => tell({ type: 'nested', callId, toolName, attempt, evaluation, event }),
  };
}
