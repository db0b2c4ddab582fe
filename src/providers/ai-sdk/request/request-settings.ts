import { assertOptions, PromptValidationError, rule } from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import { isSchemaObject, type JsonObject } from '../../../core/schema/index.ts';
import type { ModelSettings, ReasoningEffort } from '../../../core/tool/index.ts';
import { joinHeaders, numberSetting, splitSettings } from '../../kit/index.ts';
import type { AiSdkCallOptions, AiSdkVersion, ProviderOptions, WireObject } from '../wire/call-options.ts';

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
 * Settings of a call. Later ones take precedence; provider options and headers are merged one by one.
 *
 * @throws {PromptValidationError} for an unknown setting, or an invalid value.
 */
export function readSettings(version: AiSdkVersion, ...layers: readonly ModelSettings[]): AiSdkCallSettings {
  const read = layers.map((layer) => readLayer(version, layer));
  return {
    ...Object.assign({}, ...read.map(({ call }) => call)),
    providerOptions: mergeProviderOptions(...read.map(({ providerOptions }) => providerOptions)),
    headers: joinHeaders(...read.map(({ headers }) => headers)),
  };
}

type OwnSettings = Partial<Pick<AiSdkCallSettings, keyof typeof ownChecks>>;

interface Layer {
  readonly call: Omit<AiSdkCallSettings, 'providerOptions' | 'headers'>;
  readonly providerOptions: ProviderOptions;
  readonly headers: Readonly<Record<string, string>>;
}

function readLayer(version: AiSdkVersion, settings: ModelSettings): Layer {
  const { neutral, own } = splitSettings(settings, 'AI SDK', version === 'v4' ? {} : refusedByV3);
  const { stopSequences, reasoningEffort, ...plain } = neutral;
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
