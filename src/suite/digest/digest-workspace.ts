import { FilesystemError } from '../../core/error/index.ts';
import {
  type DirectoryEntry,
  type Filesystem,
  gitDirectory,
  type IgnoreScope,
  ignoreFile,
  isIgnored,
  readIgnoreScope,
  segmentsOf,
} from '../../core/filesystem/index.ts';
import { type Clock, EventLoopYield, systemClock } from '../../core/session/index.ts';
import { clean } from './clean.ts';
import { LanguageCount } from './languages.ts';
import type { DigestLimits } from './limits.ts';
import { isManifest, readManifest } from './manifests.ts';
import type { DigestDirectory, DigestManifest, WorkspaceDigest } from './workspace-digest.ts';

/** How a digest is made. */
export interface DigestOptions {
  readonly limits: DigestLimits;
  readonly respectGitignore: boolean;
  /** Aborts the walk between two directories. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** Lets timers run during a long walk. Default: the system clock. */
  readonly clock?: Pick<Clock, 'now' | 'yieldToTimers'> | undefined;
}

/** Names of files that are notable in the root, lower case, without extension. */
const rootStems: ReadonlySet<string> = /* @__PURE__ */ new Set([
  'readme',
  'license',
  'licence',
  'copying',
  'contributing',
  'changelog',
  'security',
  'codeowners',
  'dockerfile',
  'containerfile',
  'jenkinsfile',
  'tsconfig',
  'makefile',
  'justfile',
]);

/** Whole names of files that are notable in the root, lower case. */
const rootNames: ReadonlySet<string> = /* @__PURE__ */ new Set([
  'package.json',
  'pyproject.toml',
  'setup.py',
  'requirements.txt',
  'cargo.toml',
  'go.mod',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'gemfile',
  'composer.json',
  'compose.yaml',
  'compose.yml',
  'docker-compose.yaml',
  'docker-compose.yml',
  'azure-pipelines.yml',
  '.gitlab-ci.yml',
  '.travis.yml',
  '.editorconfig',
]);

/** Names that are notable in every directory: what agents are asked to read. */
const anywhere: ReadonlySet<string> = /* @__PURE__ */ new Set(['AGENTS.md', 'CLAUDE.md', 'SKILL.md']);

/** Directories whose files configure continuous integration. */
const ciDirectories: ReadonlySet<string> = /* @__PURE__ */ new Set(['.github/workflows', '.circleci', '.ci']);

/** Whether a file is named in a digest, by its directory and name. */
function isNotable(directory: string, name: string): boolean {
  if (anywhere.has(name) || ciDirectories.has(directory)) return true;
  if (directory !== '.') return false;
  const lower = name.toLowerCase();
  return rootNames.has(lower) || rootStems.has(lower.split('.')[0] ?? '');
}

/** A larger manifest is not read. */
const maxManifestBytes = 262_144;

/** A directory that is never entered. */
const installedPackages = 'node_modules';

/** A directory that is to be listed. */
interface Pending {
  readonly path: string;
  readonly depth: number;
  readonly scope: IgnoreScope | undefined;
}

/** Counts what a workspace holds, level by level, so that a count that ends early knows all upper levels. */
class Walk {
  files = 0;
  directories = 0;
  bytes = 0;
  ignored = 0;
  isComplete = true;
  readonly languages = new LanguageCount();
  readonly notable: string[] = [];
  readonly manifests: DirectoryEntry[] = [];
  /** Files below each directory of the layout, by path, upper levels first. */
  readonly layout = new Map<string, number>();
  readonly #filesystem: Filesystem;
  readonly #options: DigestOptions;
  readonly #pending: Pending[] = [{ path: '.', depth: 0, scope: undefined }];

  constructor(filesystem: Filesystem, options: DigestOptions) {
    this.#filesystem = filesystem;
    this.#options = options;
  }

  async run(): Promise<void> {
    const eventLoop = new EventLoopYield(this.#options.clock ?? systemClock);
    for (let next = 0; this.isComplete; next += 1) {
      const directory = this.#pending[next];
      if (directory === undefined) return;
      await eventLoop.pauseIfDue();
      this.#options.signal?.throwIfAborted();
      const entries = await this.#list(directory.path);
      const hasIgnoreFile =
        this.#options.respectGitignore &&
        entries.some(({ name, kind }) => name === ignoreFile && kind === 'file');
      const scope = hasIgnoreFile
        ? await readIgnoreScope(this.#filesystem, directory.scope, directory.path)
        : directory.scope;
      for (const entry of entries) this.#add(entry, { ...directory, scope });
    }
  }

  /** A directory that may not be read is counted, but not what it holds. */
  async #list(path: string): Promise<readonly DirectoryEntry[]> {
    try {
      return await this.#filesystem.list(path);
    } catch (error) {
      if (FilesystemError.isInstance(error)) return [];
      throw error;
    }
  }

  #add(entry: DirectoryEntry, { path: directory, depth, scope }: Pending): void {
    const { name, path, kind, bytes } = entry;
    const isDirectory = kind === 'directory';
    if (kind === 'link' || name === gitDirectory || (isDirectory && name === installedPackages)) return;
    const { maxEntries, maxDepth } = this.#options.limits;
    if (this.files + this.directories + this.ignored >= maxEntries) {
      this.isComplete = false;
      return;
    }
    if (isIgnored(scope, path, isDirectory)) {
      this.ignored += 1;
    } else if (isDirectory) {
      this.directories += 1;
      if (depth < maxDepth) this.layout.set(path, 0);
      this.#pending.push({ path, depth: depth + 1, scope });
    } else {
      this.files += 1;
      this.bytes += bytes;
      this.#countAbove(directory);
      this.languages.add(name);
      if (isNotable(directory, name)) this.notable.push(path);
      if (isManifest(name)) this.manifests.push(entry);
    }
  }

  #countAbove(directory: string): void {
    let path = '';
    for (const name of segmentsOf(directory).slice(0, this.#options.limits.maxDepth)) {
      path = path === '' ? name : `${path}/${name}`;
      this.layout.set(path, (this.layout.get(path) ?? 0) + 1);
    }
  }
}

/**
 * The digest of the present files. Reads the directories, `.gitignore` files and manifests; the time is bounded by the limits, except that one directory
 * is always listed as a whole.
 * @throws the reason of an aborted signal.
 */
export async function digestWorkspace(
  filesystem: Filesystem,
  options: DigestOptions,
): Promise<WorkspaceDigest> {
  const walk = new Walk(filesystem, options);
  await walk.run();
  const { maxDirectories, maxManifests, maxNotable } = options.limits;
  const layout = Array.from(walk.layout, ([path, files]): DigestDirectory => ({ path: clean(path), files }));
  const manifests: DigestManifest[] = [];
  for (const entry of walk.manifests.slice(0, maxManifests)) {
    const manifest = await readAt(filesystem, entry, options);
    if (manifest !== undefined) manifests.push(manifest);
  }
  return {
    files: walk.files,
    directories: walk.directories,
    bytes: walk.bytes,
    ignored: walk.ignored,
    isComplete: walk.isComplete,
    layout: layout.slice(0, maxDirectories).sort((left, right) => (left.path < right.path ? -1 : 1)),
    omittedDirectories: walk.directories - Math.min(layout.length, maxDirectories),
    languages: walk.languages.mostFrequent(),
    manifests,
    notable: walk.notable.slice(0, maxNotable).map(clean),
    omittedNotable: Math.max(0, walk.notable.length - maxNotable),
  };
}

/** A manifest that is not text, cannot be read or names no commands is left out. */
async function readAt(
  filesystem: Filesystem,
  { path, bytes }: DirectoryEntry,
  { limits, signal }: DigestOptions,
): Promise<DigestManifest | undefined> {
  signal?.throwIfAborted();
  if (bytes > maxManifestBytes) return undefined;
  try {
    const manifest = readManifest(path, (await filesystem.read(path)).text, limits.maxCommands);
    return manifest === undefined || manifest.commands.length === 0 ? undefined : manifest;
  } catch (error) {
    if (FilesystemError.isInstance(error)) return undefined;
    throw error;
  }
}
