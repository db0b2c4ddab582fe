import { readFileSync } from 'node:fs';
import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import { anthropic as anthropicV3 } from 'ai-sdk-anthropic-v3';
import { openai as openaiV3 } from 'ai-sdk-openai-v3';
import { describe, expect, it } from 'vitest';
import { PromptValidationError } from 'weakincentives';
import {
  aiSdk6AnthropicTypes,
  aiSdk7AnthropicTypes,
  aiSdkOpenaiTypes,
  anthropicTypes,
  openaiTypes,
  type VendorToolType,
  vendorTypeOf,
} from '../../../../../src/providers/kit/index.ts';
import { leftOut } from './left-out-types.ts';

type Table = Readonly<Record<string, readonly VendorToolType[]>>;

const rowsOf = (table: Table): readonly VendorToolType[] => Object.values(table).flat();
const typesOf = (table: Table): readonly string[] => rowsOf(table).map(({ type }) => type);

/** Types of a package as it is installed. */
const declared = (path: string): string =>
  readFileSync(new URL(`../../../../../node_modules/${path}`, import.meta.url), 'utf8');

/** The dated names in types: of tools, of those who call tools, and of edits of the context. */
const datedNames = (text: string): readonly string[] => [
  ...new Set(
    [...text.matchAll(/'([a-z][a-z0-9_]*_(?:20\d{6}|20\d\d_\d\d_\d\d))'/g)].map(([, name]) => String(name)),
  ),
];

/** The ids of a package's tools, which say them only when they are made. */
const idsOf = (tools: object): readonly string[] =>
  Object.values<unknown>({ ...tools }).flatMap((make) => {
    if (typeof make !== 'function') return [];
    // Some read an option that has no default.
    const made: unknown = make({ execute: () => undefined, vectorStoreIds: [], serverLabel: 'a' });
    const { id }: { readonly id?: unknown } = Object(made);
    return typeof id === 'string' ? [id] : [];
  });

describe('the names of tools that a vendor has published', () => {
  it.each<[string, readonly string[], Table, Readonly<Record<string, string>>, atLeast: number]>([
    [
      '@anthropic-ai/sdk',
      datedNames(
        declared('@anthropic-ai/sdk/resources/messages/messages.d.ts') +
          declared('@anthropic-ai/sdk/resources/beta/messages/messages.d.ts'),
      ),
      anthropicTypes,
      leftOut.anthropic,
      25,
    ],
    [
      'openai',
      datedNames(declared('openai/resources/responses/responses.d.ts')),
      openaiTypes,
      leftOut.openai,
      2,
    ],
    ['@ai-sdk/anthropic 4', idsOf(anthropic.tools), aiSdk7AnthropicTypes, leftOut.aiSdkAnthropic, 20],
    ['@ai-sdk/anthropic 3', idsOf(anthropicV3.tools), aiSdk6AnthropicTypes, leftOut.aiSdkAnthropic, 18],
    ['@ai-sdk/openai 4', idsOf(openai.tools), aiSdkOpenaiTypes, leftOut.aiSdkOpenai, 12],
    ['@ai-sdk/openai 3', idsOf(openaiV3.tools), aiSdkOpenaiTypes, leftOut.aiSdkOpenai, 10],
  ])('%s: each is used, or left out for a reason', (_package, published, table, reasons, atLeast) => {
    expect(published.length).toBeGreaterThanOrEqual(atLeast);
    const known = [...typesOf(table), ...Object.keys(reasons)];
    expect(published.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('have those that are used', () => {
    const text = declared('@anthropic-ai/sdk/resources/beta/messages/messages.d.ts');
    for (const { type } of rowsOf(anthropicTypes)) expect(text).toContain(`'${type}'`);
    const responses = declared('openai/resources/responses/responses.d.ts');
    for (const { type } of rowsOf(openaiTypes)) expect(responses).toContain(`'${type}'`);
    expect(idsOf(anthropic.tools)).toEqual(expect.arrayContaining([...typesOf(aiSdk7AnthropicTypes)]));
    expect(idsOf(anthropicV3.tools)).toEqual(expect.arrayContaining([...typesOf(aiSdk6AnthropicTypes)]));
    expect(idsOf(openai.tools)).toEqual(expect.arrayContaining([...typesOf(aiSdkOpenaiTypes)]));
    expect(idsOf(openaiV3.tools)).toEqual(expect.arrayContaining([...typesOf(aiSdkOpenaiTypes)]));
  });
});

it.each([anthropicTypes, openaiTypes, aiSdk7AnthropicTypes, aiSdk6AnthropicTypes, aiSdkOpenaiTypes])(
  'a table has one day of look-up, and no name that is also left out: %#',
  (table) => {
    const rows = rowsOf(table);
    expect(new Set(rows.map(({ checkedOn }) => checkedOn))).toEqual(new Set(['2026-11-27']));
    const reasons = { ...leftOut.anthropic, ...leftOut.openai, ...leftOut.aiSdkAnthropic };
    expect(rows.filter(({ type }) => type in reasons)).toEqual([]);
  },
);

describe('the version that a setting asks for', () => {
  const setting = 'providerToolsSection({ anthropic: { textEditor: { version } } })';
  const versions = anthropicTypes['anthropic.text_editor'];

  it.each([undefined, '20250728', 'text_editor_20250728'])('is found by %s', (wanted) => {
    expect(vendorTypeOf(setting, versions, wanted)).toBe(versions[0]);
  });

  it('is one of several', () => {
    const searches = aiSdk7AnthropicTypes.web_search;
    expect(vendorTypeOf('it', searches, '20260318')).toBe(searches[1]);
    expect(vendorTypeOf('it', searches)).toBe(searches[0]);
  });

  it.each(['20270101', '0728', 'editor_20250728', ''])(
    'is refused by the name of the setting: %j',
    (wanted) => {
      let refusal: unknown;
      try {
        vendorTypeOf(setting, versions, wanted);
      } catch (error) {
        refusal = error;
      }
      expect(PromptValidationError.isInstance(refusal) && refusal.message).toBe(
        `${setting} asks for the version "${wanted}", which this release does not know. It knows "text_editor_20250728", as published on 2026-11-27. Use one of them, leave the setting out for "text_editor_20250728", or update weakincentives.`,
      );
      expect(refusal).toMatchObject({
        details: { option: setting, wanted, known: ['text_editor_20250728'], checkedOn: '2026-11-27' },
      });
    },
  );
});
