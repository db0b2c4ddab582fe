import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { deadlockMs } from '../../support/deadlock.ts';

const executable = process.env['WINK_CHROMIUM'] ?? '/usr/bin/chromium';

/** Why these tests are skipped; empty where there is a browser. */
export const skipReason: string = existsSync(executable)
  ? ''
  : ` (skipped: there is no ${executable}; install chromium or set WINK_CHROMIUM)`;

/** A browser with a profile of its own, which ends with the tests of a file. */
export class TestBrowser implements AsyncDisposable {
  readonly context: BrowserContext;
  /** Everything that was requested, and every message of the console. */
  readonly requests: string[] = [];
  readonly messages: string[] = [];
  readonly #profile: string;

  private constructor(context: BrowserContext, profile: string) {
    this.context = context;
    this.#profile = profile;
    context.on('request', (request) => this.requests.push(request.url()));
    context.on('console', (message) => this.messages.push(message.text()));
    context.on('weberror', (error) => this.messages.push(String(error.error())));
  }

  static async open(): Promise<TestBrowser> {
    const profile = mkdtempSync(join(tmpdir(), 'wink-chromium-'));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: executable,
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
      viewport: { width: 1440, height: 900 },
      timeout: deadlockMs,
    });
    context.setDefaultTimeout(deadlockMs);
    return new TestBrowser(context, profile);
  }

  /** A new page at an address, once it shows a record or says why not; for other pages, once there is what `shows` selects. */
  async visit(
    address: string,
    options: {
      readonly theme?: 'light' | 'dark';
      readonly width?: number;
      readonly height?: number;
      readonly shows?: string;
    } = {},
  ): Promise<Page> {
    const { theme = 'light', width = 1440, height = 900, shows = '[role=tree], [role=alert]' } = options;
    const page = await this.context.newPage();
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: theme });
    await page.goto(address);
    await page.waitForSelector(shows, { state: 'attached' });
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
    rmSync(this.#profile, { recursive: true, force: true });
  }
}

/** How many rows of the timeline are in the document. */
export function rowCount(page: Page): Promise<number> {
  return page.locator('[role=treeitem]').count();
}

/** The id of the selected row. */
export function selectedId(page: Page): Promise<string | null> {
  return page.locator('[role=treeitem][aria-selected=true]').getAttribute('data-id');
}

/** Waits until the selected row has an id. */
export async function waitForSelected(page: Page, id: string): Promise<void> {
  await page.waitForSelector(`[role=treeitem][aria-selected=true][data-id="${id}"]`);
}
