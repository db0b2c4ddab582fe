import { assertOptions, oneOf, required, rule } from '../error/index.ts';
import { freezeData, isRecord, ownMember, wellFormed, wellFormedText } from '../internal/index.ts';
import type { ToolContext } from './context.ts';

/** What a handler asks a person. */
export type UserQuestion = Parameters<ToolContext['askUser']>[0];
/** What came of it. */
export type UserAnswer = Awaited<ReturnType<ToolContext['askUser']>>;
/** A field of the form. */
type UserField = UserQuestion['fields'][string];

const maxMessageCharacters = 4_000;
const maxFields = 20;
const maxChoices = 100;
const maxLabelCharacters = 200;
const maxDescriptionCharacters = 2_000;
/** The longest text that an answer may have. */
export const maxAnswerCharacters = 10_000;

const fieldName = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

const textOfAtMost = (max: number, what: string): ReturnType<typeof rule<string>> =>
  rule<string>(
    (value) => typeof value === 'string' && value.length > 0 && value.length <= max,
    `${what} of 1 to ${max} characters`,
  );

const questionChecks = {
  message: required(textOfAtMost(maxMessageCharacters, 'a text')),
  fields: required(
    rule<UserQuestion['fields']>(
      (value) =>
        isRecord(value) &&
        Object.keys(value).length <= maxFields &&
        Object.keys(value).every((name) => fieldName.test(name)),
      `an object of at most ${maxFields} fields, each with a name of up to 64 characters of A-Za-z0-9_- that begins with a letter`,
    ),
  ),
} as const;

const fieldChecks = {
  type: required(oneOf(['string', 'number', 'integer', 'boolean'])),
  title: textOfAtMost(maxLabelCharacters, 'a text'),
  description: textOfAtMost(maxDescriptionCharacters, 'a text'),
  enum: rule<readonly string[]>(
    areChoices,
    `a list of 1 to ${maxChoices} different texts of 1 to ${maxLabelCharacters} characters`,
  ),
  isOptional: 'boolean',
} as const;

function areChoices(value: unknown): boolean {
  const isChoice = (choice: unknown): boolean =>
    typeof choice === 'string' && choice.length > 0 && choice.length <= maxLabelCharacters;
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= maxChoices &&
    value.every(isChoice) &&
    new Set(value).size === value.length
  );
}

/**
 * The question as it is asked: a frozen copy that what the handler does later does not change.
 *
 * @throws {PromptValidationError} for a question that cannot be asked.
 */
export function readUserQuestion(given: UserQuestion): UserQuestion {
  const of = 'context.askUser()';
  assertOptions(of, given, questionChecks);
  const fields = Object.entries(given.fields).map(([name, field]) => {
    const path = `fields.${name}`;
    assertOptions(of, field, fieldChecks, { path });
    if (field.enum !== undefined)
      assertOptions(
        of,
        field,
        { ...fieldChecks, type: rule((type) => type === 'string', "'string' beside enum") },
        { path },
      );
    const { enum: choices, ...rest } = field;
    return [name, choices === undefined ? rest : { ...rest, enum: [...choices] }] as const;
  });
  return freezeData(wellFormed({ message: given.message, fields: Object.fromEntries(fields) }));
}

/**
 * An answer, checked against the question: it comes from outside. One that does not fit does not count, and the reason has nothing
 * of it.
 */
export function readUserAnswer({ fields }: UserQuestion, given: unknown): UserAnswer {
  const kind = isRecord(given) ? given['kind'] : undefined;
  if (kind === 'declined' || kind === 'dismissed') return { kind };
  if (kind === 'unavailable') {
    const reason = isRecord(given) ? given['reason'] : undefined;
    return unavailable(typeof reason === 'string' ? reason : 'No user could be asked.');
  }
  const values = isRecord(given) && kind === 'answered' ? given['values'] : undefined;
  if (!isRecord(values)) return unfit('it has no values');
  const unknown = Object.keys(values).some((name) => !Object.hasOwn(fields, name));
  if (unknown) return unfit('it has a field that was not asked for');
  const read: [string, string | number | boolean][] = [];
  for (const [name, field] of Object.entries(fields)) {
    const value = ownMember(values, name);
    if (value === undefined && field.isOptional === true) continue;
    const wanted = wantedOf(field, value);
    if (wanted !== undefined) return unfit(`"${name}" must be ${wanted}`);
    // It has one of the types of fields: nothing else is what was wanted.
    const fitting = value as string | number | boolean;
    read.push([name, typeof fitting === 'string' ? wellFormedText(fitting) : fitting]);
  }
  return Object.freeze({ kind, values: Object.freeze(Object.fromEntries(read)) }) as UserAnswer;
}

/** What the value had to be; undefined when it is. */
function wantedOf({ type, enum: choices }: UserField, value: unknown): string | undefined {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'integer':
      return Number.isSafeInteger(value) ? undefined : 'a whole number';
    case 'number':
      return Number.isFinite(value) ? undefined : 'a number';
    case 'string':
      if (typeof value !== 'string') return 'a text';
      if (choices !== undefined) return choices.includes(value) ? undefined : 'one of the choices';
      return value.length <= maxAnswerCharacters
        ? undefined
        : `a text of at most ${maxAnswerCharacters} characters`;
  }
}

/** No answer, and why. */
export function unavailable(reason: string): UserAnswer {
  return Object.freeze({ kind: 'unavailable', reason });
}

function unfit(why: string): UserAnswer {
  return unavailable(`The answer does not fit the question: ${why}.`);
}
