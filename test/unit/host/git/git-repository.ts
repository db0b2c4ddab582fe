import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AnyTool, ToolContext } from 'weakincentives';
import {
  type GitSectionOptions,
  gitSection,
  type HostFilesystemOptions,
  openHostFilesystem,
} from 'weakincentives/node';
import { compileSchema, parseInput, parseOutput } from '../../../../src/core/schema/index.ts';
import { tempFolder } from '../temp-folder.ts';

/** Why the tests that need git are skipped; undefined when it is there. */
export const noGit: string | undefined =
  spawnSync('git', ['--version']).status === 0 ? undefined : ' (skipped: git is not installed)';

const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
  GIT_AUTHOR_DATE: '2024-05-01T12:00:00Z',
  GIT_COMMITTER_DATE: '2024-05-01T12:00:00Z',
};

/** A repository of a test, removed with it. */
export class TestRepository {
  readonly path: string;

  constructor(path: string, args: readonly string[] = []) {
    this.path = path;
    this.git('init', '-q', '-b', 'main', ...args);
  }

  static create(...args: readonly string[]): TestRepository {
    return new TestRepository(tempFolder(), args);
  }

  /** Runs git on the repository, as its owner would. @returns what it prints. */
  git(...args: readonly string[]): string {
    return execFileSync('git', args, { cwd: this.path, env: env, encoding: 'utf8', stdio: 'pipe' }).trim();
  }

  /** The same with a standard input of bytes. */
  gitWith(input: string | Uint8Array, ...args: readonly string[]): string {
    return execFileSync('git', args, {
      cwd: this.path,
      env: env,
      encoding: 'utf8',
      input,
      stdio: 'pipe',
    }).trim();
  }

  write(path: string, content: string | Uint8Array): void {
    const at = join(this.path, path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, content);
  }

  /** Writes a program that the owner can execute. */
  writeProgram(path: string, script: string): string {
    this.write(path, script);
    chmodSync(join(this.path, path), 0o755);
    return join(this.path, path);
  }

  /** Writes files and commits everything. @returns the id of the commit. */
  commit(message: string, files: Readonly<Record<string, string | Uint8Array>> = {}): string {
    for (const [path, content] of Object.entries(files)) this.write(path, content);
    this.git('add', '-A', '--', '.');
    this.gitWith(message, 'commit', '-q', '--allow-empty', '-F', '-');
    return this.git('rev-parse', 'HEAD');
  }
}

/** What the model gets from one call. */
export interface GitAnswer {
  readonly success: boolean;
  readonly message: string;
  readonly text: string;
  /** Everything that the model or a program could read. */
  readonly all: string;
  readonly value: unknown;
}

/** Calls a tool of the section on a folder. */
export type CallGit = (name: string, params?: Record<string, unknown>) => Promise<GitAnswer>;

/** Opens a folder and returns a function that calls the tools of a section on it. */
export async function gitTools(
  root: string,
  options: {
    readonly files?: Partial<HostFilesystemOptions>;
    readonly section?: GitSectionOptions;
    readonly signal?: AbortSignal;
  } = {},
): Promise<CallGit> {
  const filesystem = await openHostFilesystem({ root, writeOn: 'never', ...options.files });
  onTestFinished(() => filesystem[Symbol.asyncDispose]());
  const { tools = [] } = gitSection(options.section);
  const signal = options.signal ?? new AbortController().signal;
  return async (name, params = {}) => {
    const tool: AnyTool | undefined = tools.find((candidate) => candidate.name === name);
    if (tool?.execute === undefined || tool.inputSchema === undefined || tool.outputSchema === undefined)
      throw new Error(`There is no tool ${name}.`);
    const parsed = await parseInput(compileSchema(tool.inputSchema), params);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
    const fork = filesystem.fork({ readOnly: true });
    try {
      // The tools use nothing else of the context, and the schema has just checked the arguments.
      const context = { filesystem: fork.view, signal } as unknown as ToolContext;
      const { success, message, value } = await tool.execute(parsed.value as never, context);
      if (success && !(await parseOutput(compileSchema(tool.outputSchema), value)).ok)
        throw new Error(`The output of ${name} does not match its schema: ${JSON.stringify(value)}`);
      const text = success ? (tool.render?.(value) ?? '') : '';
      return { success, message, text, value, all: `${message}\n${text}\n${JSON.stringify(value)}` };
    } finally {
      fork.dispose();
    }
  };
}
