import { assertOptions, type OptionsOf } from '../../core/error/index.ts';
import type { ToolPolicy } from '../../core/policy/index.ts';
import { type Section, section, type VisibilitySelector } from '../../core/prompt/index.ts';
import type { Slice } from '../../core/session/index.ts';
import { memoryInstructions, memorySummary } from './instructions.ts';
import type { MemoryFile } from './memory-files.ts';
import { memoryLimitChecks } from './memory-limits.ts';
import { createMemoryTool } from './memory-tool.ts';

/** Options of {@link memorySection}. */
export interface MemorySectionOptions {
  /** Default `memory`. */
  readonly key?: string;
  /** Default `Memory`. */
  readonly title?: string;
  /** Bytes that all files of a session may have together, 1 to 67,108,864 (64 MiB). Default 1,048,576 (1 MiB). */
  readonly maxBytes?: number;
  /** Files that a session may have, 1 to 10,000. Default 200. */
  readonly maxFiles?: number;
  /**
   * The files that a new session starts with, by path: `notes.md` is `/memories/notes.md`. Text, or its bytes in UTF-8. A session that is resumed or imported has its own instead, also
   * when it has deleted them. Default: none.
   */
  readonly seed?: Readonly<Record<string, string | Uint8Array>>;
  /** Rules for the tool. Default: none. */
  readonly policies?: readonly ToolPolicy[];
  /** How much of the section the model sees. Default `'full'`. A summary is provided. */
  readonly visibility?: VisibilitySelector<Record<never, never>>;
}

/** The section of {@link memorySection}. */
export interface MemorySection extends Section<Record<never, never>> {
  /** The files, for `session.slice()`: those of all sections without `seed` are one slice, each seed has its own. Read it; the model writes it. */
  readonly files: Slice<MemoryFile>;
}

const memoryChecks: OptionsOf<MemorySectionOptions> = {
  key: 'string',
  title: 'string',
  ...memoryLimitChecks,
  seed: 'object',
  policies: 'array',
  visibility: 'any',
};

/**
 * A section that gives the model a memory: instructions and the tool `memory`, with which it keeps text files under `/memories`. They belong to the session, outside of the workspace: they are there
 * after a compaction, in a run that is resumed, and wherever the state of the session is imported. It holds no state itself.
 *
 * A call is a transaction like any other: one that fails leaves no change, and several in one turn come out as if made one after the other.
 *
 * ```ts
 * import { promptTemplate, Session, section } from 'weakincentives';
 * import { scriptedAdapter } from 'weakincentives/testing';
 * import { memorySection } from 'weakincentives/tools';
 *
 * const task = section({ title: 'Task', key: 'task', template: 'Continue with the migration.' });
 * const memory = memorySection();
 * const prompt = promptTemplate({ ns: 'docs', key: 'migration', sections: [task, memory] }).bind();
 * const note = { command: 'create', path: '/memories/progress.md', file_text: 'Tables 1 to 3 are done.' };
 * await using session = new Session();
 * await scriptedAdapter([{ toolCalls: [{ name: 'memory', arguments: note }] }, { text: 'Until tomorrow.' }]).evaluate(prompt, { session });
 * console.log(session.slice(memory.files).get('/memories/progress.md')?.text); // Tables 1 to 3 are done.
 * ```
 *
 * @throws {PromptValidationError} for a limit out of range, and a seed with a path or content that cannot be used, or that breaks a limit.
 * @see docs/spec/memory.md §1
 */
export function memorySection(options: MemorySectionOptions = {}): MemorySection {
  assertOptions('memorySection()', options, memoryChecks);
  const { key = 'memory', title = 'Memory', policies = [], visibility = 'full' } = options;
  const { tool, files, limits } = createMemoryTool(options);
  const instructions = memoryInstructions(limits);
  const made: Section<Record<never, never>> = section({
    title,
    key,
    template: () => instructions,
    summary: () => memorySummary,
    visibility,
    acceptsOverrides: false,
    tools: [tool],
    policies,
    slices: [files],
  });
  return Object.freeze({ ...made, files });
}
