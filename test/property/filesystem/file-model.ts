/** An outcome as text: a result, or the code of an error. */
export type ModelOutcome = string;

/** A plain map from path to text, with `undefined` for directories: what a file system is to its user. */
export class FileModel {
  #entries: ReadonlyMap<string, string | undefined>;

  constructor(entries: ReadonlyMap<string, string | undefined> = new Map()) {
    this.#entries = entries;
  }

  /** The content; never changed in place, so it serves as a snapshot. */
  get entries(): ReadonlyMap<string, string | undefined> {
    return this.#entries;
  }

  write(path: string, text: string, mode: 'create' | 'overwrite' | 'append'): ModelOutcome {
    const problem = this.#blocked(path);
    if (problem !== undefined) return problem;
    if (this.#kind(path) === 'directory') return 'path-is-directory';
    const exists = this.#kind(path) === 'file';
    if (exists && mode === 'create') return 'path-taken';
    const whole = mode === 'append' ? (this.#entries.get(path) ?? '') + text : text;
    this.#set([[path, whole]]);
    return `${exists ? 'wrote' : 'created'} ${whole.length}`;
  }

  read(path: string): ModelOutcome {
    const problem = this.#missing(path);
    if (problem !== undefined) return problem;
    return this.#kind(path) === 'directory' ? 'path-is-directory' : `text ${this.#entries.get(path)}`;
  }

  kind(path: string): ModelOutcome {
    return this.#blocked(path) === undefined ? this.#kind(path) : 'absent';
  }

  list(path: string): ModelOutcome {
    const problem = this.#missing(path);
    if (problem !== undefined) return problem;
    if (this.#kind(path) === 'file') return 'path-not-directory';
    const names = this.#below(path).filter((name) => !name.includes('/'));
    return names.sort().join(' ');
  }

  mkdir(path: string): ModelOutcome {
    const problem = this.#blocked(path);
    if (problem !== undefined) return problem;
    const kind = this.#kind(path);
    if (kind === 'file') return 'path-taken';
    if (kind === 'absent') this.#set([[path, undefined]]);
    return kind === 'absent' ? 'created' : 'exists';
  }

  remove(path: string, recursive: boolean): ModelOutcome {
    if (path === '.') return 'argument-invalid';
    const problem = this.#missing(path);
    if (problem !== undefined) return problem;
    const below = this.#below(path);
    if (below.length > 0 && !recursive) return 'directory-not-empty';
    const paths = [path, ...below.map((name) => `${path}/${name}`)];
    const files = paths.filter((each) => this.#kind(each) === 'file').length;
    this.#entries = new Map([...this.#entries].filter(([each]) => !paths.includes(each)));
    return `${files} ${paths.length - files}`;
  }

  transfer(from: string, to: string, action: 'move' | 'copy'): ModelOutcome {
    if (from === '.' || to.startsWith(`${from}/`)) return 'argument-invalid';
    const problem = this.#missing(from) ?? this.#blocked(to);
    if (problem !== undefined) return problem;
    if (this.#kind(to) !== 'absent') return 'path-taken';
    const moved: [string, string | undefined][] = [[to, this.#entries.get(from)]];
    for (const name of this.#below(from)) moved.push([`${to}/${name}`, this.#entries.get(`${from}/${name}`)]);
    if (action === 'move') this.remove(from, true);
    this.#set(moved);
    return 'done';
  }

  /** Every file that ends with `suffix`, sorted. */
  filesEndingWith(suffix: string): ModelOutcome {
    const files = [...this.#entries].filter(([path, text]) => text !== undefined && path.endsWith(suffix));
    return files
      .map(([path]) => path)
      .sort()
      .join(' ');
  }

  #kind(path: string): 'file' | 'directory' | 'absent' {
    if (path === '.') return 'directory';
    if (!this.#entries.has(path)) return 'absent';
    return this.#entries.get(path) === undefined ? 'directory' : 'file';
  }

  /** The names below a directory, relative to it. */
  #below(path: string): string[] {
    if (path === '.') return [...this.#entries.keys()];
    return [...this.#entries.keys()]
      .filter((each) => each.startsWith(`${path}/`))
      .map((each) => each.slice(path.length + 1));
  }

  #parents(path: string): string[] {
    const names = path.split('/');
    return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
  }

  #blocked(path: string): ModelOutcome | undefined {
    return this.#parents(path).some((parent) => this.#kind(parent) === 'file')
      ? 'path-not-directory'
      : undefined;
  }

  #missing(path: string): ModelOutcome | undefined {
    return this.#blocked(path) ?? (this.#kind(path) === 'absent' ? 'path-not-found' : undefined);
  }

  #set(added: readonly (readonly [string, string | undefined])[]): void {
    const entries = new Map(this.#entries);
    for (const [path, text] of added) {
      for (const parent of this.#parents(path)) entries.set(parent, undefined);
      entries.set(path, text);
    }
    this.#entries = entries;
  }
}
