import { ownMember, present } from '../../core/internal/index.ts';
import type {
  PromptOverrides,
  SectionOverride,
  TextOverride,
  ToolOverride,
} from '../../core/prompt/index.ts';

/** Overrides of a file merged with the texts of the code, and the counts of changes. */
export interface MergedSeed {
  readonly overrides: PromptOverrides;
  /** Texts that were missing in the file. */
  readonly added: number;
  /** Texts of the file that were replaced by those of the code, or removed because the code no longer has them. */
  readonly replaced: number;
}

/** A text or examples: both have a hash of the original that they override. */
interface Hashed {
  readonly hash: string;
}

/**
 * Adds to a file of overrides what only the code has. Edited texts are kept, unless they are out of date and `isRefreshed`.
 */
export function mergeSeed(current: PromptOverrides, seed: PromptOverrides, isRefreshed: boolean): MergedSeed {
  const merge = new Merge(isRefreshed);
  const sections = merge.records(current.sections, seed.sections, (before, fresh) =>
    merge.section(before, fresh),
  );
  const tools = merge.records(current.tools, seed.tools, (before, fresh) => merge.tool(before, fresh));
  return { overrides: { ...seed, sections, tools }, added: merge.added, replaced: merge.replaced };
}

class Merge {
  added = 0;
  replaced = 0;
  readonly #isRefreshed: boolean;

  constructor(isRefreshed: boolean) {
    this.#isRefreshed = isRefreshed;
  }

  section(
    before: SectionOverride | undefined,
    fresh: SectionOverride | undefined,
  ): SectionOverride | undefined {
    if (fresh === undefined && this.#isRefreshed) return this.#gone(before);
    const merged = {
      ...this.#entry('body', before?.body, fresh?.body),
      ...this.#entry('summary', before?.summary, fresh?.summary),
      ...present({ visibility: before?.visibility }),
    };
    return Object.keys(merged).length === 0 ? undefined : merged;
  }

  tool(before: ToolOverride | undefined, fresh: ToolOverride | undefined): ToolOverride | undefined {
    if (fresh === undefined) return this.#isRefreshed ? this.#gone(before) : before;
    const isStale = before !== undefined && before.contract !== fresh.contract;
    if (isStale && !this.#isRefreshed) return before;
    if (isStale) this.replaced += 1;
    const kept = isStale ? undefined : before;
    const params = this.records<TextOverride>(kept?.params ?? {}, fresh.params ?? {}, (old, next) =>
      this.#pick(old, next),
    );
    return {
      contract: fresh.contract,
      ...this.#entry('description', kept?.description, fresh.description),
      ...present({ params: Object.keys(params).length === 0 ? undefined : params }),
      ...this.#entry('examples', kept?.examples, fresh.examples),
    };
  }

  records<Item>(
    before: Readonly<Record<string, Item>>,
    fresh: Readonly<Record<string, Item>>,
    merge: (before: Item | undefined, fresh: Item | undefined) => Item | undefined,
  ): Record<string, Item> {
    const names = new Set([...Object.keys(fresh), ...Object.keys(before)]);
    const merged = [...names].map(
      (name) => [name, merge(ownMember(before, name), ownMember(fresh, name))] as const,
    );
    return Object.fromEntries(merged.flatMap(([name, item]) => (item === undefined ? [] : [[name, item]])));
  }

  #entry<Item extends Hashed>(
    name: string,
    before: Item | undefined,
    fresh: Item | undefined,
  ): Readonly<Record<string, Item>> {
    const picked = this.#pick(before, fresh);
    return picked === undefined ? {} : { [name]: picked };
  }

  #pick<Item extends Hashed>(before: Item | undefined, fresh: Item | undefined): Item | undefined {
    if (before === undefined) {
      if (fresh !== undefined) this.added += 1;
      return fresh;
    }
    if (!this.#isRefreshed || before.hash === fresh?.hash) return before;
    this.replaced += 1;
    return fresh;
  }

  #gone(before: unknown): undefined {
    if (before !== undefined) this.replaced += 1;
  }
}
