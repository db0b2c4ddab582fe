import {
  assertArgument,
  assertMembers,
  describeKind,
  PromptValidationError,
  RunRefusedError,
} from '../../error/index.ts';
import { present } from '../../internal/index.ts';
import type { InputPart, UserItem } from '../../tool/index.ts';
import type { TakenMessages } from '../events/taken-messages.ts';
import type { SaidMessage } from '../journal/run-inbox.ts';
import { userItem } from '../model/conversation-items.ts';

/** How long a message may be, in characters. */
const maxCharacters = 20_000;
/** How many messages may wait for a run. */
const maxWaiting = 100;

/**
 * The item of a message.
 *
 * @param of the function that takes it, for errors.
 * @throws {PromptValidationError} for what is neither a text nor a list of parts, is empty, or has more than 20,000 characters.
 */
export function saidItem(of: string, input: string | readonly InputPart[]): UserItem {
  const given: unknown = input;
  if (typeof given !== 'string' && !Array.isArray(given)) {
    throw refused(of, `must be a text or an array of parts; received ${describeKind(given)}`);
  }
  const item = userItem(input);
  for (const part of item.content) assertPart(of, part);
  const characters = item.content.reduce((sum, part) => sum + lengthOf(part), 0);
  if (characters === 0) throw refused(of, 'is empty: it says nothing');
  if (characters > maxCharacters) {
    throw refused(
      of,
      `has ${characters} characters, and a message may have ${maxCharacters}. Put what is longer into a file, and say where it is`,
    );
  }
  return item;
}

function assertPart(of: string, part: unknown): void {
  assertArgument(of, 'a part of input', part, 'object');
  const { type } = Object(part);
  if (type === 'text') assertMembers(`${of}: a part of input`, part, { text: 'string!' });
  else if (type === 'image' || type === 'file') {
    assertMembers(`${of}: a part of input`, part, { mediaType: 'string!', data: 'string!', name: 'string' });
  } else throw refused(of, `has a part that is no "text", "image" or "file"`);
}

const lengthOf = (part: InputPart): number => (part.type === 'text' ? part.text : part.data).length;

function refused(of: string, why: string): PromptValidationError {
  return new PromptValidationError(`${of}: input ${why}.`, { details: { option: 'input' } });
}

/**
 * Refuses a message more than may wait.
 *
 * @param whose inbox, as the beginning of a sentence.
 * @throws {RunRefusedError} `run-inbox-full`.
 */
export function assertRoom(whose: string, waiting: number): void {
  if (waiting < maxWaiting) return;
  throw new RunRefusedError(
    'run-inbox-full',
    `${whose} has ${waiting} messages that wait, and no more than ${maxWaiting} may. Say it again when the run has taken them.`,
    { details: { waiting } },
  );
}

/** What a run needs of a message. */
export type SayingMessage = Pick<SaidMessage, 'id' | 'by' | 'item'>;

/** Messages that a run takes together, and what its model reads. */
export interface SaidTogether {
  readonly messages: TakenMessages;
  readonly items: readonly UserItem[];
}

/** Messages as a run takes them: those that follow each other and have the same sender together. */
export function takenTogether(messages: readonly SayingMessage[]): readonly SaidTogether[] {
  const groups: SayingMessage[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (last !== undefined && last[0]?.by === message.by) last.push(message);
    else groups.push([message]);
  }
  return groups.map((group) => {
    const items = group.map(({ item }) => item);
    const ids = group.map(({ id }) => id);
    return { messages: { ids, ...present({ by: group[0]?.by }), text: saidText(items) }, items };
  });
}

/** What messages say, each on lines of its own. Of an image or a file only that there is one. */
export function saidText(items: readonly UserItem[]): string {
  return items
    .map(({ content }) =>
      content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n'),
    )
    .join('\n');
}
