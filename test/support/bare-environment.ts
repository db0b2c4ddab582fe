import type { Clock, Prompt, Session } from 'weakincentives';
import type { LanguageModel } from 'weakincentives/provider';
import {
  type EvaluationEnvironment,
  type LoopState,
  noObservers,
  RunBudget,
  type RunStop,
  type TransactionRoots,
  VisiblePrompt,
} from '../../src/core/runtime/index.ts';
import { EventLoopYield } from '../../src/core/session/index.ts';
import { silentLogger } from '../../src/core/tool/index.ts';

/** What a test of the loop itself brings. */
interface LoopParts {
  readonly session: Session;
  readonly roots: TransactionRoots;
  readonly clock: Clock;
  readonly model: LanguageModel;
  readonly stop: RunStop;
  readonly state: LoopState;
}

/** The surroundings of a loop that is run without an adapter: without listeners, limits or nested evaluations. */
export async function bareEnvironment(
  prompt: Prompt<undefined>,
  { session, roots, clock, model, stop, state }: LoopParts,
): Promise<EvaluationEnvironment> {
  return {
    prompt,
    display: new VisiblePrompt(await prompt.render({ session }), { state, maxSectionOpenings: 16 }),
    allowedTools: undefined,
    outer: undefined,
    outerCalls: [],
    evaluatorFor: () => {
      throw new RangeError('No handler of this test evaluates anything.');
    },
    roots,
    origin: { evaluationId: 'run', promptName: prompt.name, adapter: 'scripted', sessionId: session.id },
    clock,
    ids: () => 'id',
    eventIds: () => 'id.1',
    logger: silentLogger,
    deadline: undefined,
    budget: new RunBudget(undefined, model),
    models: undefined,
    eventLoop: new EventLoopYield(clock),
    stop,
    approve: undefined,
    askUser: undefined,
    observers: noObservers,
    enforce: true,
    maxConcurrentCalls: 8,
    maxResultCharacters: 400_000,
    redactor: undefined,
    eventPath: [],
    emit: () => undefined,
    passOn: () => undefined,
    eventTypes: new Set(),
    warnedTools: new Set(),
    hintedTools: new Set(),
  };
}
