// The worker of pdf.js. The build translates its syntax for the oldest supported engines (docs/browsers.md).
import './pdf-functions.ts'
import 'pdfjs-dist/legacy/build/pdf.worker.min.mjs'
