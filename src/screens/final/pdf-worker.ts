// The worker of pdf.js. The build translates its syntax for the oldest supported engines (docs/browsers.md).
import './pdf-polyfills.ts'
import 'pdfjs-dist/legacy/build/pdf.worker.min.mjs'
