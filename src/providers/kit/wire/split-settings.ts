import { PromptValidationError } from '../../../core/error/index.ts';
import { type ModelSettings, type NeutralSetting, neutralSettings } from '../../../core/tool/index.ts';

/** Settings, separated into those that all providers share and those in the provider's own format. */
export interface SplitSettings {
  readonly neutral: Pick<ModelSettings, NeutralSetting>;
  readonly own: ModelSettings;
}

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
    if (instead !== undefined)
      throw fault(`The ${adapter} adapter has no setting "${name}": ${instead}.`, name, value);
    checkValue(name, value);
    Object.assign(neutral, { [name]: value });
  }
  return { neutral, own };
}

function checkValue(name: NeutralSetting, value: unknown): void {
  switch (name) {
    case 'maxOutputTokens':
      if (Number.isSafeInteger(value) && Number(value) >= 1) return;
      throw fault(
        `The setting maxOutputTokens must be a whole number of at least 1, got ${String(value)}.`,
        name,
        value,
      );
    case 'temperature':
    case 'topP':
    case 'seed':
      if (typeof value === 'number' && Number.isFinite(value)) return;
      throw fault(`The setting ${name} must be a number, got ${String(value)}.`, name, value);
    case 'stopSequences':
      if (Array.isArray(value) && value.every((text) => typeof text === 'string' && text !== '')) return;
      throw fault('The setting stopSequences must be a list of non-empty strings.', name, value);
    case 'reasoningEffort':
      if (typeof value === 'string' && efforts.includes(value)) return;
      throw fault(
        `The setting reasoningEffort must be one of ${efforts.join(', ')}, got ${String(value)}.`,
        name,
        value,
      );
  }
}

const efforts: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

function fault(message: string, name: NeutralSetting, value: unknown): PromptValidationError {
  return new PromptValidationError(message, { details: { option: `settings.${name}`, value } });
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
