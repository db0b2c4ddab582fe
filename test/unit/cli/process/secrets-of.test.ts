import { describe, expect, it } from 'vitest';
import { hostRedact } from '../../../../src/cli/process/redact.ts';

/** What a text becomes where one variable is set. */
function shown(name: string, value: string, text: string): string {
  const nowhere = { workspace: undefined, agentFolder: undefined, workingFolder: '', home: '' };
  return hostRedact(nowhere, { variables: { [name]: value } })(text);
}

describe('the secrets of a variable', () => {
  it.each([
    ['DATABASE_URL', 'postgres://app:s3cr3t-of-mine@db.example/app', 's3cr3t-of-mine'],
    ['DATABASE_URL', 'postgres://app:s3cr3t%2Dof%21mine@db.example/app', 's3cr3t-of!mine'],
    ['DATABASE_URL', 'postgres://app:with@in-it-12@db.example/app', 'with@in-it-12'],
    ['DATABASE_URL', 'postgres://app:with/slash#12@db.example/app', 'with/slash#12'],
    ['REDIS', 'redis://:only-a-password@cache.example:6379/0', 'only-a-password'],
    [
      'BROKERS',
      'amqp://a:first-password@one.example,amqp://b:second-password@two.example',
      'second-password',
    ],
    ['HTTPS_PROXY', 'http://me:proxy-password@proxy.example:8080', 'proxy-password'],
    ['GIT_REMOTE', 'https://ghp_0123456789abcdefABCDEF@github.example/x.git', 'ghp_0123456789abcdefABCDEF'],
    ['JDBC', 'jdbc:postgresql://db.example/x?user=app&password=jdbc-password&ssl=true', 'jdbc-password'],
    ['JDBC', 'jdbc:postgresql://db.example/x?sslpassword=ssl-password', 'ssl-password'],
    ['STORE', 'AccountName=x;AccountKey=c3RvcmUta2V5LW9m==;Suffix=y', 'c3RvcmUta2V5LW9m=='],
    ['LIBPQ', "host=db user=app password='quoted password 1'", 'quoted password 1'],
    ['JAVA_TOOL_OPTIONS', '-Xmx1g -Djavax.net.ssl.keyStorePassword=changeit-1', 'changeit-1'],
    ['BLOB', 'https://x.example/blob?sv=1&sig=c2lnbmF0dXJlMTIz&se=2', 'c2lnbmF0dXJlMTIz'],
    ['MYSQL_DSN', 'app:dsn-password@tcp(db.example)/x', 'dsn-password'],
    ['CONFIG', '{"auths":{"r.example":{"auth":"YWJjOmRlZmdoaQ"}}}', 'YWJjOmRlZmdoaQ'],
    ['CREDENTIALS_JSON', '{"type":"x","private_key":"-----BEGIN\\nabc\\n"}', '-----BEGIN\nabc\n'],
  ])('%s has one in %s', (name, value, secret) => {
    expect(shown(name, value, `it is ${secret}.`)).not.toContain(secret);
    // A line of it is found where programs show only that.
    expect(shown(name, value, JSON.stringify({ it: secret }))).not.toContain(
      JSON.stringify(secret).slice(1, -1),
    );
  });

  it.each([
    ['HOMEPAGE', 'https://example.com/a:b@c', 'example.com'],
    ['PROXY', 'http://proxy.example:8080/path@v1', '8080/path'],
    ['PACKAGE', 'npm:string-width@4.2.3', 'string-width'],
    ['REMOTE', 'git@github.example:owner/repository.git', 'repository'],
    ['DATABASE_URL', 'postgres://postgres:postgres@localhost/postgres', 'the postgres server'],
    ['DATABASE_URL', 'postgres://app:secret@localhost/app', 'a secret is kept'],
    ['SSH_AUTH_SOCK', '/tmp/ssh-x/agent.1', '/tmp/ssh-x/agent.1'],
    ['PASSWORD_FILE', '/run/secrets/password', '/run/secrets/password'],
    ['PWD', '/home/ann/folder', '/home/ann/folder'],
    ['A_TOKEN', 'short', 'a short text'],
  ])('%s has none in %s', (name, value, text) => {
    expect(shown(name, value, text)).toBe(text);
  });

  it('with a short password is hidden beside the name of its user', () => {
    const url = 'postgres://app:secret@localhost/app';
    expect(shown('DATABASE_URL', url, `connect to ${url}`)).toBe(
      'connect to postgres://<DATABASE_URL password>localhost/app',
    );
  });
});
