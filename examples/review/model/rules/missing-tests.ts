import { baseName, extensionOf, fileKind, folderOf, stemOf } from './file-kind.ts';
import { withoutExtension } from './module-imports.ts';

/** What the review learned about one file of code by reading it. */
export interface CodeFacts {
  readonly path: string;
  /** Modules it imports, as `importedModules` gives them. */
  readonly imports: ReadonlySet<string>;
  /** Whether it declares anything that can run. */
  readonly hasCode: boolean;
  readonly hasInlineTest: boolean;
}

/** Sources without a test. */
export interface MissingTests {
  /** Whether the folder holds any test at all; without one the sources are not listed one by one. */
  readonly hasTests: boolean;
  /** Sources that no test is named after and none reaches by imports, in order of their paths. */
  readonly untested: readonly string[];
}

const entryNames = /^(?:index|main|mod|lib|__init__|__main__|setup|conftest|package-info|module-info)$/i;
const configName = /(?:^|[._-])(?:config|conf|rc|setup)$|^\./i;
const aside =
  /^(?:\..+|bench|benchmarks?|bin|build|demos?|docs?|examples?|guides?|migrations?|samples?|scripts?|third[_-]party|tools?|vendor)$/i;

/** Decides which of the files of code that were read have no test. `paths` are all files of the folder. */
export function findMissingTests(files: readonly CodeFacts[], paths: Iterable<string>): MissingTests {
  const names = new Set<string>();
  for (const path of paths) if (fileKind(path) === 'test') names.add(testedName(path));
  const byModule = new Map(files.map((file) => [withoutExtension(file.path), file]));
  const reached = reachedModules(files, byModule);
  const untested = files
    .filter((file) => fileKind(file.path) === 'source' && needsTest(file))
    .filter((file) => !names.has(nameKey(stemOf(file.path))) && !isReached(file.path, reached))
    .map((file) => file.path);
  return { hasTests: names.size > 0, untested: untested.sort() };
}

function needsTest(file: CodeFacts): boolean {
  if (!file.hasCode || file.hasInlineTest || file.path.endsWith('.d.ts')) return false;
  const stem = stemOf(file.path);
  if (entryNames.test(stem) || configName.test(stem)) return false;
  return !folderOf(file.path)
    .split('/')
    .some((segment) => segment !== '.' && aside.test(segment));
}

/** Modules that a test imports, directly or through other files. */
function reachedModules(
  files: readonly CodeFacts[],
  byModule: ReadonlyMap<string, CodeFacts>,
): ReadonlySet<string> {
  const reached = new Set<string>();
  const queue = files.filter((file) => fileKind(file.path) === 'test').flatMap((file) => [...file.imports]);
  for (let module = queue.pop(); module !== undefined; module = queue.pop()) {
    if (reached.has(module)) continue;
    reached.add(module);
    queue.push(...(byModule.get(module)?.imports ?? []));
  }
  return reached;
}

/** Python modules may be imported from any source root, so two or more segments at the end of their path are enough. */
function isReached(path: string, reached: ReadonlySet<string>): boolean {
  const module = withoutExtension(path);
  if (reached.has(module)) return true;
  if (extensionOf(path) !== 'py') return false;
  const segments = module.split('/');
  return segments.some(
    (_segment, index) => index < segments.length - 1 && reached.has(segments.slice(index).join('/')),
  );
}

/** The name that a test is for: `reader` for `reader.test.ts`, `test_reader.py`, `ReaderTest.java`. */
function testedName(path: string): string {
  const stem = stemOf(path)
    .replace(/[._-](?:test|spec)(?:-d)?$/i, '')
    .replace(/^test[._-]/i, '')
    .replace(/(?:Tests?|Spec)$/, '');
  return nameKey(stem === '' ? baseName(path) : stem);
}

function nameKey(name: string): string {
  return name.toLowerCase().replace(/[._-]/g, '');
}
