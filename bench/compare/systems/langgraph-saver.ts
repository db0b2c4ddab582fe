import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { MemorySaver } from '@langchain/langgraph';

type Kept = Pick<MemorySaver, 'storage' | 'writes'>;

/**
 * The checkpointer of the package for tests, kept in a file: what a checkpointer in SQLite or PostgreSQL keeps, without a native
 * package or a server.
 */
export class FileSaver extends MemorySaver {
  readonly #file: string;

  constructor(file: string) {
    super();
    this.#file = file;
    if (!existsSync(file)) return;
    const { storage, writes } = deserialize(readFileSync(file)) as Kept;
    this.storage = storage;
    this.writes = writes;
  }

  override async put(...args: Parameters<MemorySaver['put']>): ReturnType<MemorySaver['put']> {
    const config = await super.put(...args);
    this.#save();
    return config;
  }

  override async putWrites(...args: Parameters<MemorySaver['putWrites']>): Promise<void> {
    await super.putWrites(...args);
    this.#save();
  }

  #save(): void {
    const { storage, writes } = this;
    writeFileSync(`${this.#file}.new`, serialize({ storage, writes } satisfies Kept));
    renameSync(`${this.#file}.new`, this.#file);
  }
}
