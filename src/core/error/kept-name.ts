import { type RefuseArgument, refusePrompt } from './argument.ts';
import { type OptionRule, unusable } from './options.ts';

const maxLength = 512;

/**
 * What names a run or a session where it is kept: in journals, in records, in the keys of calls. Whatever takes such a name checks it by this rule, so that all refuse the same ones.
 */
export const keptName: OptionRule<string, undefined> = {
  isUsable: isKeptName,
  what: `a text of 1 to ${maxLength} characters, without U+0000 and without half of a surrogate pair`,
  byDefault: undefined,
  showsTexts: true,
};

// A database may cut a text at U+0000, and keeps another character for half of a surrogate pair: two names would become one.
function isKeptName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= maxLength &&
    !value.includes('\0') &&
    value.isWellFormed()
  );
}

/** Refuses what {@link keptName} refuses, for a name that is not an option, such as one that `ids` made. */
export function assertKeptName(
  of: string,
  option: string,
  name: unknown,
  refuse: RefuseArgument = refusePrompt,
): asserts name is string {
  if (!isKeptName(name)) throw unusable(of, option, keptName.what, name, refuse, true);
}
