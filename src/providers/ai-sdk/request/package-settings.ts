import type { PromptValidationError } from '../../../core/error/index.ts';
import { isRecord } from '../../../core/internal/index.ts';
import type { ModelSettings, NeutralSetting, ServiceTier } from '../../../core/tool/index.ts';
import { refuseBoth, refuseSetting, refuses } from '../../kit/index.ts';
import type { AiSdkVersion, ProviderOptions, WireObject } from '../wire/call-options.ts';

// Neutral settings that the interface of models has no field for go to the package of the model, in its own options. Looked up on 2026-12-01 in `@ai-sdk/openai` 4.0.118 and 3.0.141,
// `@ai-sdk/anthropic` 4.0.105, `@ai-sdk/google` 4.0.121 and `@ai-sdk/groq` 4.

/** What a model is asked through. */
export interface AskedPackage {
  readonly version: AiSdkVersion;
  /** The model's own provider name, such as `openai.responses`. */
  readonly provider: string;
  readonly modelId: string;
}

/** What the package of a provider takes. */
interface PackageOptions {
  readonly provider: RegExp;
  /** The name of its options. */
  readonly key: string;
  readonly parallel?: (isAllowed: boolean) => WireObject;
  /** Its service tiers. AI SDK 6 has them only in the package of OpenAI. */
  readonly tiers?: Readonly<Partial<Record<ServiceTier, string>>>;
  readonly tiersOfV3?: true;
  /** Settings that it leaves out with a warning. */
  readonly leavesOut?: readonly NeutralSetting[];
}

const openaiOptions = {
  key: 'openai',
  parallel: (parallelToolCalls: boolean) => ({ parallelToolCalls }),
  tiers: { standard: 'default', flex: 'flex', priority: 'priority' },
  tiersOfV3: true,
} as const;

const anthropicOptions = {
  key: 'anthropic',
  parallel: (isAllowed: boolean) => ({ disableParallelToolUse: !isAllowed }),
  leavesOut: ['seed'],
} as const;

const packages: readonly PackageOptions[] = [
  { provider: /^openai\.responses$/, ...openaiOptions, leavesOut: ['stopSequences', 'seed'] },
  { provider: /^openai\.chat$/, ...openaiOptions },
  {
    provider: /^anthropic\.messages$/,
    ...anthropicOptions,
    tiers: { standard: 'standard_only', priority: 'auto' },
  },
  // Claude at other clouds, through the same package.
  { provider: /\.anthropic\.messages$/, ...anthropicOptions },
  {
    provider: /^google\.generative-ai$/,
    key: 'google',
    tiers: { standard: 'standard', flex: 'flex', priority: 'priority' },
  },
  {
    provider: /^groq\.chat$/,
    key: 'groq',
    parallel: (parallelToolCalls) => ({ parallelToolCalls }),
  },
];

type PackageSettings = Pick<ModelSettings, NeutralSetting>;

/**
 * The options of the package for the settings that only it knows; none where neither is given.
 *
 * @throws {PromptValidationError} for a setting that the package, or the model, does not have.
 */
export function toPackageOptions(settings: PackageSettings, asked: AskedPackage): ProviderOptions {
  const { provider, modelId, version } = asked;
  const found = packages.find((each) => each.provider.test(provider));
  for (const name of found?.leavesOut ?? []) {
    if (settings[name] !== undefined)
      throw refused(asked, name, settings[name], 'its package leaves it out; remove it');
  }
  for (const name of ['temperature', 'topP'] as const) {
    if (settings[name] !== undefined && refuses(modelId, 'sampling'))
      throw refused(asked, name, settings[name], `the model "${modelId}" does not take it; remove it`);
  }
  const { parallelToolCalls, serviceTier } = settings;
  if (parallelToolCalls === undefined && serviceTier === undefined) return {};
  const own: WireObject = {};
  if (parallelToolCalls !== undefined) {
    if (found?.parallel === undefined)
      throw refused(asked, 'parallelToolCalls', parallelToolCalls, elsewhere);
    Object.assign(own, found.parallel(parallelToolCalls));
  }
  if (serviceTier !== undefined) {
    const tiers = version === 'v4' || found?.tiersOfV3 === true ? found?.tiers : undefined;
    const tier = tiers?.[serviceTier];
    if (tier === undefined) {
      const known = Object.keys(tiers ?? {});
      const instead = known.length === 0 ? elsewhere : `it has the tiers ${known.join(' and ')}`;
      throw refused(asked, 'serviceTier', serviceTier, instead);
    }
    own['serviceTier'] = tier;
  }
  return found === undefined ? {} : { [found.key]: own };
}

const elsewhere =
  'its package has no such option; if the provider has one, give it in the provider’s own format, in providerOptions';

function refused(
  { provider }: AskedPackage,
  name: NeutralSetting,
  value: ModelSettings[string],
  instead: string,
): PromptValidationError {
  return refuseSetting(`AI SDK (${provider})`, name, value, instead);
}

/** Where the options of a package say the same as a neutral setting. */
const sameAs: readonly (readonly [NeutralSetting, ...path: string[]])[] = [
  ['reasoningEffort', 'reasoningEffort'],
  ['reasoningEffort', 'effort'],
  ['reasoningEffort', 'thinkingConfig', 'thinkingLevel'],
  ['reasoningEffort', 'reasoningConfig', 'maxReasoningEffort'],
  ['parallelToolCalls', 'parallelToolCalls'],
  ['parallelToolCalls', 'disableParallelToolUse'],
  ['serviceTier', 'serviceTier'],
  ['maxOutputTokens', 'maxCompletionTokens'],
];

/** @throws {PromptValidationError} for a setting that is given in both forms. */
export function refuseBothForms(settings: PackageSettings, providerOptions: ProviderOptions): void {
  for (const [provider, options] of Object.entries(providerOptions)) {
    for (const [name, ...path] of sameAs) {
      if (settings[name] === undefined) continue;
      const other = path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), options);
      refuseBoth(name, settings[name], ['providerOptions', provider, ...path].join('.'), other);
    }
    if (settings.reasoningEffort === 'none' && options['thinking'] !== undefined)
      refuseBoth('reasoningEffort', 'none', `providerOptions.${provider}.thinking`, options['thinking']);
  }
}

/** Options without those that an effort of a later layer takes the place of. */
export function withoutEffort(providerOptions: ProviderOptions): ProviderOptions {
  const entries = Object.entries(providerOptions).map(([provider, options]) => {
    const { reasoningEffort: _neutral, effort: _effort, thinkingConfig, ...rest } = options;
    if (!isRecord(thinkingConfig)) return [provider, { ...rest, thinkingConfig }] as const;
    const { thinkingLevel: _level, ...kept } = thinkingConfig;
    return [provider, { ...rest, thinkingConfig: kept }] as const;
  });
  return Object.fromEntries(entries);
}
