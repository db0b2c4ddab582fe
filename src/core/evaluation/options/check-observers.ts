import { assertArgument, assertMembers } from '../../error/index.ts';
import type { RunObserver } from '../../runtime/index.ts';

const members: { readonly [Name in keyof RunObserver]-?: 'function' } = {
  onEvent: 'function',
  onState: 'function',
  onRequest: 'function',
  onResponse: 'function',
  onCommit: 'function',
  onDiscard: 'function',
  around: 'function',
};

/** @throws {PromptValidationError} for what is not a list of observers. */
export function checkObservers(where: string, observers: readonly RunObserver[]): void {
  assertArgument(where, 'observers', observers, 'array');
  for (const observer of observers) {
    assertArgument(`${where}: observers`, 'an observer', observer, 'object');
    assertMembers(`${where}: an observer`, observer, members);
  }
}
