interface Attributes {
  readonly mode?: number;
  readonly modifiedAtMs?: number;
}

/**
 * Modes and times that commands have set. The file systems do not store them, so they last as long as the sandbox. A path is in it only
 * while its file exists.
 */
export class FileAttributes {
  readonly #byPath = new Map<string, Attributes>();

  mode(path: string): number | undefined {
    return this.#byPath.get(path)?.mode;
  }

  /** The time that was set; undefined also when the file was written since. */
  modifiedAtMs(path: string): number | undefined {
    return this.#byPath.get(path)?.modifiedAtMs;
  }

  setMode(path: string, mode: number): undefined {
    this.#byPath.set(path, { ...this.#byPath.get(path), mode });
  }

  setModified(path: string, modifiedAtMs: number): undefined {
    this.#byPath.set(path, { ...this.#byPath.get(path), modifiedAtMs });
  }

  forgetModified(path: string): void {
    const { mode } = this.#byPath.get(path) ?? {};
    if (mode === undefined) this.#byPath.delete(path);
    else this.#byPath.set(path, { mode });
  }

  remove(path: string): undefined {
    for (const [known] of this.#below(path)) this.#byPath.delete(known);
  }

  copy(from: string, to: string): undefined {
    for (const [known, { mode }] of this.#below(from)) {
      if (mode !== undefined) this.#byPath.set(to + known.slice(from.length), { mode });
    }
  }

  move(from: string, to: string): undefined {
    if (from === to) return;
    this.remove(to);
    for (const [known, attributes] of this.#below(from)) {
      this.#byPath.delete(known);
      this.#byPath.set(to + known.slice(from.length), attributes);
    }
  }

  /** The paths in the workspace whose mode was set. */
  changedModes(): readonly string[] {
    const root = '/workspace/';
    return [...this.#byPath]
      .filter(([path, { mode }]) => mode !== undefined && path.startsWith(root))
      .map(([path]) => path.slice(root.length));
  }

  #below(path: string): readonly (readonly [string, Attributes])[] {
    return [...this.#byPath].filter(([known]) => known === path || known.startsWith(`${path}/`));
  }
}
