import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** An element of DER (ITU-T X.690 section 8.1). */
function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), content]);
}
const sequence = (...parts: readonly Uint8Array[]): Buffer => element(0x30, ...parts);
const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** ecdsa-with-SHA256, the common name and the alternative names of a subject (RFC 5280), as encoded OIDs. */
const [ECDSA, NAME, ALTERNATIVES] = ['06082a8648ce3d040302', '0603550403', '0603551d11'].map(
  hex,
) as [Buffer, Buffer, Buffer];

/** A new certificate for the hosts, signed by its own key, valid for an hour around now. */
export function makeCertificate(hosts: readonly string[]): {
  readonly key: string;
  readonly cert: string;
} {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const time = (at: number): Buffer => {
    const text = new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '');
    return element(0x18, Buffer.from(text));
  };
  const name = sequence(
    element(0x31, sequence(NAME, element(0x0c, Buffer.from('hosts of a test')))),
  );
  const names = hosts.map((host) => element(0x82, Buffer.from(host)));
  const alternatives = sequence(ALTERNATIVES, element(0x04, sequence(...names)));
  const algorithm = sequence(ECDSA);
  const content = sequence(
    element(0xa0, hex('020102')),
    element(0x02, Buffer.from([1]), randomBytes(8)),
    algorithm,
    name,
    sequence(time(Date.now() - 1_800_000), time(Date.now() + 1_800_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(alternatives)),
  );
  const signature = sign('sha256', content, privateKey);
  const whole = sequence(content, algorithm, element(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
