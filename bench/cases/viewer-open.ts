import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { manyCalls } from '../../test/browser/support/rows.ts';
import { runProgram } from '../harness/program.ts';

const command = fileURLToPath(
  new URL('dist/entries/wink.js', import.meta.resolve('weakincentives/package.json')),
);
const browserPath = process.env['WINK_CHROMIUM'] ?? '/usr/bin/chromium';

/**
 * Time from the request for a page of `wink view` to the frame with its first rows, in ms: `open`; and from a key to the frame with the last row: `end`.
 * Every sample is a page of its own in one browser.
 */
await runProgram<{ readonly calls: number }>(async ({ calls }, { samples, warmUps, effort }) => {
  if (!existsSync(browserPath)) return { samples: {}, unavailable: `there is no ${browserPath}` };
  const folder = mkdtempSync(join(tmpdir(), 'wink-bench-view-'));
  try {
    const record = join(folder, 'run.jsonl');
    const target = join(folder, 'run.html');
    const amount = effort === 'tiny' ? 100 : calls;
    writeFileSync(record, manyCalls(amount));
    execFileSync(process.execPath, [command, 'view', record, '--out', target]);
    const last = `[data-id="call-${amount}"][aria-selected=true]`;
    return {
      samples: await measure(pathToFileURL(target).href, last, effort === 'tiny' ? 0 : warmUps, samples),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function measure(address: string, last: string, warmUps: number, samples: number) {
  const browser = await chromium.launch({
    executablePath: browserPath,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  const open: number[] = [];
  const end: number[] = [];
  try {
    for (let count = 0; count < warmUps + samples; count += 1) {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      const startedAtMs = performance.now();
      await page.goto(address);
      await page.locator('[role=treeitem]').first().waitFor();
      const openedAtMs = performance.now();
      await page.locator('[role=treeitem][tabindex="0"]').focus();
      const pressedAtMs = performance.now();
      await page.keyboard.press('End');
      await page.locator(last).waitFor();
      const endedAtMs = performance.now();
      if (count >= warmUps) {
        open.push(openedAtMs - startedAtMs);
        end.push(endedAtMs - pressedAtMs);
      }
      await page.close();
    }
  } finally {
    await browser.close();
  }
  return { open, end };
}
