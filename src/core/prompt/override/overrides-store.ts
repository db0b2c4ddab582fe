import type { PromptIdentity } from '../section/identity.ts';
import type { PromptOverrides } from './prompt-overrides.ts';

/** The tag of overrides that applies when none is given. */
export const defaultOverridesTag = 'latest';

/** Where overrides are kept: by prompt and tag. `LocalOverridesStore` of `weakincentives/node` keeps them in files. */
export interface OverridesStore {
  /**
   * The overrides of a prompt; undefined when there are none.
   * @throws {OverridesError} when what is stored cannot be read; it is never taken for none.
   */
  load(prompt: PromptIdentity, tag: string): Promise<PromptOverrides | undefined>;
  /** Replaces the overrides of the prompt and tag that they name. All or nothing. */
  save(overrides: PromptOverrides): Promise<void>;
  /** Removes them. @returns false when there were none. */
  delete(prompt: PromptIdentity, tag: string): Promise<boolean>;
}

/** Where an evaluation takes overrides from. */
export interface OverridesSource {
  readonly store: Pick<OverridesStore, 'load'>;
  /** Default: `'latest'`. */
  readonly tag?: string;
}
