// verify.cjs TRUSTED_ROOT BUNDLE SAN ISSUER: what sigstore-js thinks of a bundle.
'use strict';
const fs = require('fs');
const { bundleFromJSON } = require('@sigstore/bundle');
const { TrustedRoot } = require('@sigstore/protobuf-specs');
const { Verifier, toSignedEntity, toTrustMaterial } = require('@sigstore/verify');

const [root, bundle, san, issuer] = process.argv.slice(2);
const read = (path) => JSON.parse(fs.readFileSync(path, 'utf8'));
const trust = toTrustMaterial(TrustedRoot.fromJSON(read(root)));
const exactly = '^' + san.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + '$'; // it takes a pattern
try {
  new Verifier(trust, { ctlogThreshold: 1, tlogThreshold: 1, timestampThreshold: 1 })
    .verify(toSignedEntity(bundleFromJSON(read(bundle))), { subjectAlternativeName: exactly, extensions: { issuer } });
  console.log('accepted');
} catch (e) {
  console.log(`refused: ${e.code}: ${e.message}`);
  process.exitCode = 1;
}
