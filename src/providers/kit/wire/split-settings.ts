import {
  assertOptions,
  integer,
  listOf,
  type OptionRule,
  type OptionsOf,
  oneOf,
  PromptValidationError,
  rule,
} from '../../../core/error/index.ts';
import { type ModelSettings, type NeutralSetting, neutralSettings } from '../../../core/tool/index.ts';

/** Settings, separated into those that all providers share and those in the provider's own format. */
export interface SplitSettings {
  readonly neutral: Pick<ModelSettings, NeutralSetting>;
  readonly own: ModelSettings;
}

/** A setting that is a number. */
export const numberSetting: OptionRule<number, undefined> = rule(Number.isFinite, 'a number');

const neutralChecks: OptionsOf<Pick<ModelSettings, NeutralSetting>> = {
  maxOutputTokens: integer({ min: 1 }),
  temperature: numberSetting,
  topP: numberSetting,
  stopSequences: listOf<string>(
    (text) => typeof text === 'string' && text !== '',
    'a list of non-empty strings',
  ),
  seed: numberSetting,
  reasoningEffort: oneOf(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']),
  parallelToolCalls: 'boolean',
  serviceTier: oneOf(['standard', 'flex', 'priority']),
};

/**
 * @param adapter name of the adapter, for the message.
 * @param refused neutral settings that the provider does not have, each with the end of a sentence that says what to do
 * instead.
 * @throws {PromptValidationError} for a refused setting, and for a neutral setting out of range.
 */
export function splitSettings(
  settings: ModelSettings,
  adapter: string,
  refused: Readonly<Partial<Record<NeutralSetting, string>>>,
): SplitSettings {
  const neutral: { -readonly [Name in NeutralSetting]?: ModelSettings[Name] } = {};
  const own: Record<string, ModelSettings[string]> = { ...settings };
  for (const name of neutralSettings) {
    const value = settings[name];
    delete own[name];
    if (value === undefined) continue;
    const instead = refused[name];
    if (instead !== undefined) throw refuseSetting(adapter, name, value, instead);
    Object.assign(neutral, { [name]: value });
  }
  assertOptions(`the ${adapter} adapter`, neutral, neutralChecks, { path: 'settings' });
  return { neutral, own };
}

/** The error for a neutral setting that a provider does not have. @param instead the end of a sentence that says what to do instead. */
export function refuseSetting(
  adapter: string,
  name: NeutralSetting,
  value: ModelSettings[string],
  instead: string,
): PromptValidationError {
  return new PromptValidationError(`The ${adapter} adapter has no setting "${name}": ${instead}.`, {
    details: { option: `settings.${name}`, value },
  });
}

/**
 * @param own the name of the same setting in the provider's format.
 * @throws {PromptValidationError} for a setting that is given in both forms.
 */
export function refuseBoth(neutral: NeutralSetting, value: unknown, own: string, other: unknown): void {
  if (value === undefined || other === undefined) return;
  throw new PromptValidationError(
    `The settings have both ${neutral} and ${own}, which are the same. Keep one.`,
    { details: { option: `settings.${neutral}` } },
  );
}

/**
 * @param keys settings that the prompt, the conversation and the options determine, or that an adapter does not support.
 * @throws {PromptValidationError} for settings that have one of them.
 */
export function refuseControlled(adapter: string, settings: ModelSettings, keys: readonly string[]): void {
  for (const key of keys) if (settings[key] !== undefined) throw notSettable(adapter, `settings.${key}`);
}

/** The error for a setting that the adapter controls. */
export function notSettable(adapter: string, option: string): PromptValidationError {
  return new PromptValidationError(
    `The ${adapter} adapter controls "${option}"; it cannot be set. Remove it from the settings.`,
    { details: { option } },
  );
}
