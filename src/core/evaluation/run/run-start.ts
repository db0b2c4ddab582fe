import { none, present, wellFormed } from '../../internal/index.ts';
import { hashOfText, type Prompt } from '../../prompt/index.ts';
import type {
  BareEvent,
  EvaluationEnvironment,
  LanguageModel,
  ModelSequence,
  RunBudget,
} from '../../runtime/index.ts';
import { canonicalJson, freezeJson, type JsonObject, type JsonValue } from '../../schema/index.ts';
import type { EvaluationSettings } from '../options/settings.ts';
import type { HeldScope } from '../scope/evaluation-scope.ts';

/** What the first event of a run says. */
interface StartedRun<Output> {
  readonly scope: Pick<HeldScope, 'evaluator' | 'isSessionGiven' | 'redactor'>;
  readonly prompt: Prompt<Output>;
  readonly settings: EvaluationSettings;
  readonly model: Pick<LanguageModel, 'name' | 'model' | 'provider' | 'settings' | 'prices'>;
  readonly budget: RunBudget;
  readonly models: ModelSequence | undefined;
  readonly isToolRuntime?: true;
  /** Hashes of what the prompt shows that is not of the program, by name; undefined: there is none. */
  readonly sources: ReadonlyMap<string, string> | undefined;
}

/** The first event of a run. */
export function runStart<Output>(
  { scope, prompt, settings, models, isToolRuntime, budget, sources, ...start }: StartedRun<Output>,
  { display, origin }: Pick<EvaluationEnvironment, 'display' | 'origin'>,
): BareEvent {
  const { tools } = display;
  const model = models?.current.model ?? start.model;
  const bound = tools.flatMap((tool) => display.offered(tool.name) ?? none);
  const idempotent = bound.flatMap(({ tool }) =>
    tool.effects === 'external' && tool.idempotent ? [tool.name] : [],
  );
  return {
    type: 'run-start',
    promptName: prompt.name,
    adapter: scope.evaluator.name,
    tools: tools.map((tool) => tool.name),
    sessionId: origin.sessionId,
    isSessionGiven: scope.isSessionGiven,
    isRedacted: scope.redactor !== undefined,
    ...present({ isToolRuntime }),
    prompt: { namespace: prompt.ns, key: prompt.key, hash: prompt['~hash']() },
    ...present({ agent: settings.agent, provider: model.provider }),
    model: model.model ?? model.name,
    ...present({ prices: model.prices, models: models?.described() }),
    settings: { ...model.settings, ...settings.loop.settings },
    ...present({
      limits: isToolRuntime === true ? undefined : limitsOf(settings, budget),
      context: settings.context,
    }),
    effects: Object.fromEntries(bound.map(({ tool }) => [tool.name, tool.effects])),
    ...present({
      idempotent: idempotent.length === 0 ? undefined : idempotent,
      params: asJson(prompt.params),
      sources: sources === undefined ? undefined : Object.fromEntries(sources),
    }),
    // The schemas of tools are plain JSON.
    toolsHash: hashOfText(canonicalJson(tools as unknown as JsonValue)),
    policies: [...new Set(bound.flatMap(({ policies }) => policies.map(({ name }) => name)))],
  };
}

/** The limits of an evaluation, for observers. */
function limitsOf(
  { budget: given, calls, loop }: EvaluationSettings,
  { tracker }: RunBudget,
): Extract<BareEvent, { readonly type: 'run-start' }>['limits'] {
  // Without one of its own, the tracker is that of the run around it.
  const { maxTotalTokens, maxInputTokens, maxOutputTokens, maxCost } =
    (given === undefined ? undefined : tracker?.budget) ?? {};
  const { maxTurns, maxRepeatedFailures } = loop;
  const expiresAtMs = calls.deadline?.expiresAtMs;
  return {
    maxTurns,
    maxRepeatedFailures,
    ...present({ maxTotalTokens, maxInputTokens, maxOutputTokens, maxCost, expiresAtMs }),
  };
}

/** Params that are plain JSON, well-formed; undefined for others, of which JSON would say something else. */
function asJson(params: object): JsonObject | undefined {
  try {
    // Params are an object.
    return wellFormed(freezeJson(params, 'params') as JsonObject);
  } catch {
    return undefined;
  }
}
