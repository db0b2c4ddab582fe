import { assertOptions, type OptionsOf } from '../error/index.ts';
import { present } from '../internal/index.ts';
import { PolicyFacts } from './policy-state.ts';
import { ReadBeforeWrite } from './read-before-write.ts';
import type { ReadBeforeWritePolicyOptions } from './read-before-write-options.ts';
import type { ToolPolicy } from './tool-policy.ts';

/**
 * Requires that text of an existing file has been read in an earlier call before a call may replace or remove it: a whole write needs all of the file, an
 * edit what it changes. New files are free, and what a call has written is known. A file that was moved or copied is known as its source was:
 * moving a file does not avoid reading it. Write tools are refused early when nothing of the file is known; the files that any covered
 * tool has really changed are judged before its commit, so no tool gets around the rule. Paths are compared normalised, links followed.
 * Reading in the same call does not count.
 *
 * ```ts
 * import { promptTemplate, readBeforeWritePolicy } from 'weakincentives';
 * import { scriptedAdapter } from 'weakincentives/testing';
 * import { vfsToolsSection } from 'weakincentives/tools';
 *
 * const files = { 'NOTES.md': 'Bees.\n' };
 * const template = promptTemplate({
 *   ns: 'docs',
 *   key: 'notes',
 *   sections: [vfsToolsSection({ mounts: [{ mountPath: '.', files }], policies: [] })],
 *   // On the template it covers the tools of every section.
 *   policies: [readBeforeWritePolicy()],
 * });
 * const write = { name: 'write_file', arguments: { file_path: 'NOTES.md', content: 'Wasps.\n' } };
 * const adapter = scriptedAdapter([{ toolCalls: [write] }, { text: 'I have to read it first.' }]);
 * const { conversation } = await adapter.evaluate(template.bind());
 * const results = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
 * console.log(/"NOTES.md" exists and has not been read/.test(results[0] ?? '')); // true
 * ```
 *
 * @throws {PromptValidationError} when `readTools` is empty, and for `pathsOf` beside `pathParams`.
 * @see docs/spec/policies.md §7
 */
export function readBeforeWritePolicy(options: ReadBeforeWritePolicyOptions = {}): ToolPolicy {
  assertOptions('readBeforeWritePolicy()', options, {
    name: 'any',
    readTools: 'any',
    searchTools: 'any',
    allowPartialReads: 'boolean',
    writeTools: 'any',
    pathParams: 'any',
    pathsOf: 'function',
    exempt: 'any',
    governRemoval: 'any',
    detectStale: 'any',
    scope: 'any',
  } satisfies OptionsOf<ReadBeforeWritePolicyOptions>);
  const rule = new ReadBeforeWrite(options);
  return Object.freeze({
    name: rule.name,
    ...present({ scope: options.scope }),
    slices: Object.freeze([PolicyFacts]),
    check: (call, context) => rule.check(call, context),
    checkChanges: (call, changes, context) => rule.checkChanges(call, changes, context),
    onResult: (call, _result, context) => rule.record(call, context),
  } satisfies ToolPolicy);
}
