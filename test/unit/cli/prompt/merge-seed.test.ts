import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PromptOverrides, TextOverride } from 'weakincentives';
import { mergeSeed } from '../../../../src/cli/prompt/merge-seed.ts';

/** A text of one of two versions of the code, or what somebody has written for it. */
const text = (versions: readonly string[]): fc.Arbitrary<TextOverride> =>
  fc.record({ hash: fc.constantFrom(...versions), text: fc.constantFrom('code', 'written', 'also written') });

const record = <Item>(item: fc.Arbitrary<Item>): fc.Arbitrary<Record<string, Item>> =>
  fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor'), item, { maxKeys: 3 });

function overridesOf(versions: readonly string[], isSeed: boolean): fc.Arbitrary<PromptOverrides> {
  const requiredKeys = { requiredKeys: [] };
  const contract = fc.constantFrom(...versions);
  return fc.record({
    version: fc.constant(1 as const),
    ns: fc.constant('ns'),
    key: fc.constant('key'),
    tag: fc.constant('latest'),
    sections: record(
      fc.record(
        {
          body: text(versions),
          summary: text(versions),
          ...(isSeed ? {} : { visibility: fc.constantFrom('full' as const, 'summary' as const) }),
        },
        requiredKeys,
      ),
    ),
    tools: record(
      fc.record(
        { contract, description: text(versions), params: record(text(versions)) },
        { requiredKeys: ['contract'] },
      ),
    ),
  });
}

const seeds = overridesOf(['new'], true);
const files = overridesOf(['old', 'new'], false);

/** Every text with its address. */
function textsOf({ sections, tools }: PromptOverrides): Map<string, string> {
  const found = new Map<string, string>();
  const note = (address: string, override: TextOverride | undefined): void => {
    if (override !== undefined) found.set(address, `${override.hash} ${override.text}`);
  };
  for (const [path, { body, summary, visibility }] of Object.entries(sections)) {
    note(`${path} body`, body);
    note(`${path} summary`, summary);
    if (visibility !== undefined) found.set(`${path} visibility`, visibility);
  }
  for (const [name, { contract, description, params = {} }] of Object.entries(tools)) {
    note(`${name} ${contract} description`, description);
    for (const [param, override] of Object.entries(params)) note(`${name} ${contract} ${param}`, override);
  }
  return found;
}

describe('bringing the texts of the code into a file', () => {
  it('loses nothing that stands in the file', () => {
    fc.assert(
      fc.property(files, seeds, (file, seed) => {
        const merged = textsOf(mergeSeed(file, seed, false).overrides);
        for (const [address, value] of textsOf(file)) expect(merged.get(address)).toBe(value);
      }),
    );
  });

  it('has all texts of the code, save those of a tool that is another by now', () => {
    fc.assert(
      fc.property(files, seeds, (file, seed) => {
        const merged = textsOf(mergeSeed(file, seed, false).overrides);
        for (const address of textsOf(seed).keys()) {
          const [name = ''] = address.split(' new ');
          const isOldTool =
            address.includes(' new ') &&
            Object.hasOwn(file.tools, name) &&
            file.tools[name]?.contract === 'old';
          if (!isOldTool) expect(merged.has(address)).toBe(true);
        }
      }),
    );
  });

  it('leaves nothing that is out of date once it is refreshed, and keeps what fits', () => {
    fc.assert(
      fc.property(files, seeds, (file, seed) => {
        const { overrides } = mergeSeed(file, seed, true);
        const merged = textsOf(overrides);
        const [kept, fresh] = [textsOf(file), textsOf(seed)];
        for (const [address, value] of merged) {
          if (address.endsWith(' visibility')) continue;
          expect(value.startsWith('new ')).toBe(true);
          expect([kept.get(address), fresh.get(address)]).toContain(value);
          expect(fresh.has(address)).toBe(true);
        }
        for (const address of fresh.keys()) expect(merged.has(address)).toBe(true);
      }),
    );
  });

  it('changes nothing a second time, and says so', () => {
    fc.assert(
      fc.property(files, seeds, fc.boolean(), (file, seed, isRefreshed) => {
        const { overrides } = mergeSeed(file, seed, isRefreshed);
        const again = mergeSeed(overrides, seed, isRefreshed);
        expect(again).toMatchObject({ added: 0, replaced: 0 });
        expect(textsOf(again.overrides)).toEqual(textsOf(overrides));
      }),
    );
  });
});
