import { sellPears } from '../../agent.mjs';

export const runtime = 'edge';
export const dynamic = 'force-dynamic';

export async function GET() {
  return Response.json({ answer: await sellPears() });
}
