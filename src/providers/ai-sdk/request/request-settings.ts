import { assertOptions, PromptValidationError, rule } from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import { isSchemaObject, type JsonObject } from '../../../core/schema/index.ts';
import type { ModelSettings, NeutralSetting, ReasoningEffort } from '../../../core/tool/index.ts';
import { joinHeaders, numberSetting, splitSettings } from '../../kit/index.ts';
import type { AiSdkCallOptions, AiSdkVersion, ProviderOptions, WireObject } from '../wire/call-options.ts';
import { type AskedPackage, refuseBothForms, toPackageOptions, withoutEffort } from './package-settings.ts';

/** The settings of one call, in the model's format. */
export type AiSdkCallSettings = Pick<
  AiSdkCallOptions<'v4'>,
  | 'maxOutputTokens'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'stopSequences'
  | 'seed'
> & {
  readonly reasoning?: ReasoningEffort;
  readonly providerOptions: ProviderOptions;
  readonly headers: Readonly<Record<string, string>>;
};

const ownChecks = {
  topK: numberSetting,
  presencePenalty: numberSetting,
  frequencyPenalty: numberSetting,
  providerOptions: rule<ProviderOptions>(
    (value) => isSchemaObject(value) && Object.values(value).every((options) => isSchemaObject(options)),
    'an object of options for each provider',
  ),
  headers: rule<Readonly<Record<string, string>>>(
    (value) => isSchemaObject(value) && Object.values(value).every((header) => typeof header === 'string'),
    'an object with a string for each header',
  ),
};

/**
 * Settings of a call. Those of the evaluation take precedence over those of the adapter, in whichever form; provider options and headers are merged one by one.
 *
 * @param adapter settings of the adapter, of which later ones take precedence.
 * @throws {PromptValidationError} for an unknown setting, an invalid value, one that the package does not have, and one that is given in both forms.
 */
export function readSettings(
  asked: AskedPackage,
  adapter: readonly ModelSettings[],
  evaluation: ModelSettings = {},
): AiSdkCallSettings {
  const outer = readLevel(asked, adapter);
  const inner = readLevel(asked, [evaluation]);
  return {
    ...outer.call,
    ...inner.call,
    providerOptions: mergeProviderOptions(
      inner.call.reasoning === undefined ? outer.providerOptions : withoutEffort(outer.providerOptions),
      inner.providerOptions,
    ),
    headers: joinHeaders(outer.headers, inner.headers),
  };
}

type OwnSettings = Partial<Pick<AiSdkCallSettings, keyof typeof ownChecks>>;

interface Layer {
  readonly call: Omit<AiSdkCallSettings, 'providerOptions' | 'headers'>;
  readonly neutral: Pick<ModelSettings, NeutralSetting>;
  readonly providerOptions: ProviderOptions;
  readonly headers: Readonly<Record<string, string>>;
}

/** The settings of the adapter, or those of an evaluation: what only the package knows is among its options. */
function readLevel(asked: AskedPackage, given: readonly ModelSettings[]): Layer {
  const layers = given.map((settings) => readLayer(asked.version, settings));
  const neutral: Layer['neutral'] = Object.assign({}, ...layers.map((layer) => layer.neutral));
  const own = mergeProviderOptions(...layers.map(({ providerOptions }) => providerOptions));
  refuseBothForms(neutral, own);
  return {
    call: Object.assign({}, ...layers.map(({ call }) => call)),
    neutral,
    providerOptions: mergeProviderOptions(own, toPackageOptions(neutral, asked)),
    headers: joinHeaders(...layers.map(({ headers }) => headers)),
  };
}

function readLayer(version: AiSdkVersion, settings: ModelSettings): Layer {
  const { neutral, own } = splitSettings(settings, 'AI SDK', version === 'v4' ? {} : refusedByV3);
  const { stopSequences, reasoningEffort, parallelToolCalls: _calls, serviceTier: _tier, ...plain } = neutral;
  for (const [key, value] of Object.entries(own)) {
    if (value !== undefined && !Object.hasOwn(ownChecks, key)) {
      const instead = `options of a single provider belong in providerOptions, such as { providerOptions: { anthropic: { … } } }`;
      throw fault(`There is no setting "${key}" for models of the AI SDK: ${instead}.`, key);
    }
  }
  const { headers = {}, providerOptions = {}, ...numbers } = checkOwn(own);
  return {
    call: {
      ...plain,
      ...present({
        ...numbers,
        stopSequences: stopSequences === undefined ? undefined : [...stopSequences],
        reasoning: reasoningEffort,
      }),
    },
    neutral,
    providerOptions,
    headers,
  };
}

/** Settings that only this adapter has. The models' types have no read-only lists; no model writes into them. */
function checkOwn(settings: JsonObject): OwnSettings {
  assertOptions<object>('the AI SDK adapter', settings, ownChecks, { path: 'settings' });
  return settings;
}

const refusedByV3 = {
  reasoningEffort:
    'models of AI SDK 6 accept it in the provider’s own format, such as { providerOptions: { openai: { reasoningEffort: "low" } } }',
};

/** Merges options of providers: of the same option the last value applies, but for beta features, which are those of all. */
export function mergeProviderOptions(...all: readonly ProviderOptions[]): ProviderOptions {
  const merged: ProviderOptions = {};
  for (const options of all) {
    for (const [provider, own] of Object.entries(options)) {
      const before = merged[provider] ?? {};
      const features = [before['anthropicBeta'], own['anthropicBeta']]
        .filter((list) => Array.isArray(list))
        .flat();
      merged[provider] = {
        ...before,
        ...own,
        ...present({ anthropicBeta: features.length === 0 ? undefined : [...new Set(features)] }),
      };
    }
  }
  return merged;
}

/**
 * Adds the options of hosted tools to the options of providers. A list, such as one of servers, is appended to the existing
 * one; any other existing value is kept.
 *
 * @throws {PromptValidationError} for other additions to the request.
 */
export function addToProviderOptions(options: ProviderOptions, request: JsonObject): ProviderOptions {
  const { providerOptions, ...rest } = request;
  const [foreign] = Object.keys(rest);
  if (foreign !== undefined) {
    throw fault(
      `A codec for hosted tools can only add providerOptions to a request, not "${foreign}".`,
      foreign,
    );
  }
  const added = checkOwn({ providerOptions }).providerOptions ?? {};
  const joined = Object.entries(added).map(([provider, own]) => {
    const before = options[provider] ?? {};
    const entries = Object.entries(own).map(([key, value]) => [key, join(before[key], value)] as const);
    return [provider, Object.fromEntries(entries)] as const;
  });
  return mergeProviderOptions(options, Object.fromEntries(joined));
}

function join(before: WireObject[string], value: WireObject[string]): WireObject[string] {
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value];
  if (before === undefined) return value;
  return isSchemaObject(before) && isSchemaObject(value) ? { ...value, ...before } : before;
}

function fault(message: string, key: string): PromptValidationError {
  return new PromptValidationError(message, { details: { option: `settings.${key}` } });
}
