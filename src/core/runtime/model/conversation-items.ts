import { wellFormed, wellFormedText } from '../../internal/index.ts';
import type { InputPart, UserItem } from '../../tool/index.ts';

/** What a person or the calling program says to the model. */
export function userItem(input: string | readonly InputPart[]): UserItem {
  return wellFormed({
    type: 'user',
    content: typeof input === 'string' ? [{ type: 'text', text: input }] : input,
  });
}

/** What the runtime itself says to the model, in the role of the user. */
export function runtimeItem(text: string): UserItem {
  return { type: 'user', content: [{ type: 'text', text: wellFormedText(text) }], source: 'runtime' };
}
